import { expect, test } from 'vitest';
import { createAppliers } from '../../../src/authz/changes/apply.ts';
import { createWorker } from '../../../src/authz/changes/worker.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createAuthority } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { deployment, authority } = await useAuthority();

test('a slow sweep does not delay pending changes', async () => {
  const { database, engine } = authority;
  const log = createLog('silent');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: started, resolve: begin } = Promise.withResolvers<void>();
  const pool = {
    ...database.pool,
    async query(statement: Parameters<typeof database.pool.query>[0]) {
      begin();
      await released;
      return database.pool.query(statement);
    },
  } as typeof database.pool;
  const worker = createWorker({
    ...{
      database: { ...database, pool },
      appliers: createAppliers({ database, engine, log }),
      log,
    },
    sweepMs: 1,
  });
  worker.start();
  await started;
  const silent = await createAuthority(deployment, {
    wrap: (plain) => ({ ...plain, write: async () => 'unknown' as const }),
  });
  await silent.addKey(await authority.addAccount());
  await silent.close();

  await expect.poll(() => worker.backlog(), { timeout: 10_000 }).toMatchObject({ seconds: 0 });

  release();
  await worker.stop();
});
