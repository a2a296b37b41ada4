import { afterAll, beforeAll, expect, test } from 'vitest';
import { fenceObject, readFence } from '../../../src/authz/apply.ts';
import { createStore, deployModel } from '../../../src/authz/deploy.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createAuthority, driftOf } from '../../support/authority.ts';
import type { Authority } from '../../support/authority.ts';
import { createDeployment } from '../../support/deployment.ts';
import type { Deployment } from '../../support/deployment.ts';

let deployment: Deployment;
let authority: Authority;

beforeAll(async () => {
  deployment = await createDeployment();
  authority = await createAuthority(deployment);
});
afterAll(() => authority.close());

/** The store as a backup from before the last change would be. */
async function goBack(account: string): Promise<void> {
  const scope = { kind: 'account', id: account } as const;
  const position = (await readFence(authority.engine, scope))!;
  const at = (n: number) => ({
    user: `revision:${n}`,
    relation: 'at',
    object: fenceObject(scope),
  });
  const outcome = await authority.engine.write({
    deletes: [at(position)],
    writes: [at(position - 1)],
  });
  expect(outcome).toBe('written');
}

test('a store older than the last change closes every decision until it is repaired', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const other = await authority.addAccount();
  await authority.addKey(other);
  await goBack(other);

  await expect(authority.authz.requireStore()).rejects.toMatchObject({ kind: 'unavailable' });
  const asked = authority.authz.context(await authority.caller(account, key));
  await expect(asked).rejects.toMatchObject({ kind: 'unavailable' });

  const found = await driftOf(authority, { repair: true });
  await authority.authz.requireStore();
  const after = await authority.authz.context(await authority.caller(account, key));

  expect(found).toMatchObject([
    { scope: `account:${other}`, fence_agrees: false, missing: [], extra: [], repaired: true },
  ]);
  expect(after.connected).toBe(true);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

test('a repair does not undo a change that is applied meanwhile', async () => {
  const account = await authority.addAccount();
  await authority.addKey(account);
  await goBack(account);
  const racing = await createAuthority(deployment, {
    wrap: (engine) => ({
      ...engine,
      // The fence is mended by somebody else between our look and our Write.
      async write(delta) {
        if (delta.writes.length === 1 && delta.writes[0]!.relation === 'at')
          await engine.write(delta);
        return engine.write(delta);
      },
    }),
  });

  const found = await driftOf(racing, { repair: true });
  await racing.close();

  expect(found).toMatchObject([{ repaired: false }]);
  expect((await driftOf(authority, { repair: true })).every((drift) => drift.repaired)).toBe(true);
});

test('a lost store is written anew from the rows', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const openfga = { ...deployment.openfga, storeId: await createStore(deployment.openfga) };
  const log = createLog('silent');

  await expect(deployModel(authority.database, openfga, { log })).rejects.toThrow('--rebuild');
  await deployModel(authority.database, openfga, { log, rebuild: true });
  const rebuilt = await createAuthority({ ...deployment, openfga });
  await driftOf(rebuilt, { repair: true });

  await rebuilt.authz.requireStore();
  expect(await driftOf(rebuilt, { repair: false })).toEqual([]);
  const answer = await rebuilt.authz.context(await rebuilt.caller(account, key));
  expect([answer.connected, answer.capabilities.has('tools')]).toEqual([true, true]);
  await expect(authority.authz.requireStore()).rejects.toMatchObject({ kind: 'unavailable' });
  await rebuilt.close();
});
