import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  listPendingParts,
  lockScope,
  markApplied,
  raiseRevision,
} from '../../../src/authz/changes/store.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { actor, createAuthority } from '../../support/worlds/authority.ts';
import { untilWaiting } from '../../support/worlds/interleaved.ts';
import { useAuthority } from './use-authority.ts';

const { deployment, authority } = await useAuthority();
const { pool, authPool } = authority.database;
const query = async <Row extends Record<string, unknown>>(statement: string) =>
  (await authPool.query<Row>(statement)).rows;

/** Creates a gateway whose OpenFGA accepts only the first writes. */
const createLimited = async (writes: number) => {
  let left = writes;
  return createAuthority(deployment, {
    wrap: (engine) => ({
      ...engine,
      write: async (delta) => ((left -= 1) < 0 ? 'unknown' : engine.write(delta)),
    }),
  });
};

/** Makes the last change of an account, and the scope if it has no earlier one, this old. */
const ageLastChange = (account: string, minutes: number) =>
  pool.query(sql.unsafe`
    WITH aged AS (
      UPDATE authz_outbox SET created_at = now() - ${minutes} * '1 minute'::interval
      WHERE id = ${account} AND seq = (SELECT revision FROM authz_scope WHERE id = ${account})
    )
    UPDATE authz_scope SET dirty_since = now() - ${minutes} * '1 minute'::interval
    WHERE id = ${account} AND revision = applied + 1`);

test('the backlog of a scope that always has pending changes is as old as the oldest of them', async () => {
  const account = await authority.addAccount();
  const unavailable = await createLimited(0);
  const key = await unavailable.addKey(account);
  await ageLastChange(account, 60);
  await unavailable.addKey(account);
  await ageLastChange(account, 30);
  expect((await authority.authz.backlog()).seconds).toBeGreaterThan(3_500);

  const busy = await createLimited(1);
  const deciding = busy.authz.context(await busy.caller(account, key));

  await expect(deciding).rejects.toMatchObject({ kind: 'unavailable' });
  const { seconds } = await authority.authz.backlog();
  expect([seconds > 1_700, seconds < 3_500]).toEqual([true, true]);
  await authority.authz.context(await authority.caller(account, key));
  expect(await authority.authz.backlog()).toEqual({ seconds: 0, stuck: 0 });
  await unavailable.close();
  await busy.close();
});

test('a change committed while an earlier one is marked as applied counts towards the backlog', async () => {
  const account = await authority.addAccount();
  const unavailable = await createLimited(0);
  await unavailable.addKey(account);
  await unavailable.close();
  const scope = { kind: 'account', id: account } as const;
  const [part] = await listPendingParts(pool, scope);
  const raised = Promise.withResolvers<void>();
  const committing = Promise.withResolvers<void>();
  const change = authority.database.transaction(async (transaction) => {
    const parts = [{ deletes: [], writes: [] }];
    await raiseRevision(transaction, await lockScope(transaction, scope), parts, {
      ...{ actor, reason: 'key.update', model_id: authority.engine.modelId },
    });
    raised.resolve();
    await committing.promise;
  });
  await raised.promise;

  const marking = markApplied(pool, scope, part!);
  await untilWaiting({ query }, 1);
  committing.resolve();
  await Promise.all([change, marking]);

  const [row] = await pool.any(sql.type(z.object({ dirty: z.boolean() }))`
    SELECT dirty_since IS NOT NULL AS dirty FROM authz_scope
    WHERE id = ${account} AND applied < revision`);
  expect(row).toEqual({ dirty: true });
});
