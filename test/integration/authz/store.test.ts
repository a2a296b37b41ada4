import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createStore, deployModel } from '../../../src/authz/engine/deploy.ts';
import { fenceTuple, readFence } from '../../../src/authz/changes/fence.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createContentsReader } from '../../../src/content/spaces/spaces.ts';
import { projections } from '../../../src/projection.ts';
import { createVisibility } from '../../../src/visibility/visibility.ts';
import { actor, createAuthority, driftOf } from '../../support/worlds/authority.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import { noCustomTools } from '../../support/worlds/no-custom-tools.ts';
import { noOrganizations } from '../../support/worlds/no-organizations.ts';
import { useAuthority } from './use-authority.ts';

const { deployment, authority } = await useAuthority();

/** Sets the store's fence back by one change, like a restore from an older backup. */
async function rewindFence(account: string): Promise<void> {
  const scope = { kind: 'account', id: account } as const;
  const now = (await readFence(authority.engine, scope))!;
  const before = await authority.database.pool.oneFirst(sql.type(z.object({ fence: z.string() }))`
    SELECT fence FROM authz_outbox WHERE kind = 'account' AND id = ${account}
    ORDER BY seq DESC OFFSET 1 LIMIT 1`);
  const outcome = await authority.engine.write({
    deletes: [fenceTuple(scope, now)],
    writes: [fenceTuple(scope, before)],
  });
  expect(outcome).toBe('written');
}

/**
 * Makes the store look restored from a backup in which the key still had the Agents capability.
 * Returns a function that repairs it.
 */
async function restoreOlder(account: string, key: string): Promise<() => Promise<unknown>> {
  const scope = { kind: 'account', id: account } as const;
  const now = fenceTuple(scope, (await readFence(authority.engine, scope))!);
  await rewindFence(account);
  const restored = fenceTuple(scope, (await readFence(authority.engine, scope))!);
  const object = `account:${account}`;
  const former = { user: `api_key:${key}`, relation: 'declared_agents', object };
  await authority.engine.write({ deletes: [], writes: [former] });
  return () => authority.engine.write({ deletes: [former, restored], writes: [now] });
}

test('a store older than the last change refuses every decision until it is repaired', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const other = await authority.addAccount();
  await authority.addKey(other);
  await rewindFence(other);

  await expect(authority.authz.requireStore()).rejects.toMatchObject({ kind: 'unavailable' });
  const decision = authority.authz.context(await authority.caller(account, key));
  await expect(decision).rejects.toMatchObject({ kind: 'unavailable' });

  const found = await driftOf(authority, { repair: true });
  await authority.authz.requireStore();
  const after = await authority.authz.context(await authority.caller(account, key));

  expect(found).toMatchObject([
    { scope: `account:${other}`, fence_agrees: false, missing: [], extra: [], repaired: true },
  ]);
  expect(after.connected).toBe(true);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

test('decisions of a store that was restored from a backup are not cached (authorization.md 10)', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const repair = await restoreOlder(account, key);
  const decide = async () => authority.authz.context(await authority.caller(account, key));
  const wrong = await decide();
  await expect(authority.authz.requireStore()).rejects.toMatchObject({ kind: 'unavailable' });

  await repair();
  await authority.authz.requireStore();
  const right = await decide();

  expect([wrong, right].map(({ capabilities }) => capabilities.has('agents'))).toEqual([
    true,
    false,
  ]);
});

test('a view of a store that was restored from a backup is not shown again (authorization.md 10)', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const repair = await restoreOlder(account, key);
  const visibility = createVisibility({
    ...{ authz: authority.authz, organizations: noOrganizations, runnable: noCustomTools },
    catalog: { tools: () => [], prompts: () => [], version: 'v1' },
    readContents: createContentsReader({ database: authority.database }),
    cached: true,
  });
  const caller = await authority.caller(account, key);
  const wrong = await visibility.view(caller);
  await expect(authority.authz.requireStore()).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(visibility.view(caller)).rejects.toMatchObject({ kind: 'unavailable' });

  await repair();
  await authority.authz.requireStore();
  const right = await visibility.view(caller);

  expect([wrong, right].map(({ capabilities }) => capabilities.has('agents'))).toEqual([
    true,
    false,
  ]);
});

test('a gateway started without OpenFGA refuses decisions until it has compared the store', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const proxy = await createProxy(deployment.openfga.apiUrl);
  onTestFinished(() => proxy.close());
  proxy.down();
  const openfga = { ...deployment.openfga, apiUrl: proxy.url };
  const started = await createAuthority({ ...deployment, openfga });
  onTestFinished(started.close);
  proxy.pass();
  const decide = async () => started.authz.context(await started.caller(account, key));

  await rewindFence(account);
  await expect(decide()).rejects.toMatchObject({ kind: 'unavailable' });
  started.authz.start();
  await expect(started.authz.requireStore()).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(decide()).rejects.toMatchObject({ kind: 'unavailable' });
  await driftOf(authority, { repair: true });

  // No readiness check triggers it: the gateway compares the store by itself.
  await expect
    .poll(async () => (await decide().catch(() => null))?.connected, { timeout: 10_000 })
    .toBe(true);
  await started.authz.stop();
});

/** Deletes the last change from the database only, like a failover to a standby that lacks it. */
async function loseLastChange(account: string): Promise<void> {
  await authority.database.pool.query(sql.unsafe`
    WITH lost AS (
      DELETE FROM authz_outbox WHERE kind = 'account' AND id = ${account}
        AND seq = (SELECT revision FROM authz_scope WHERE kind = 'account' AND id = ${account})
    )
    UPDATE authz_scope SET revision = revision - 1, applied = applied - 1, position = position - 1,
      nonce = gen_random_uuid()
    WHERE kind = 'account' AND id = ${account}`);
}

test('a change that reuses the number of a lost change closes its scope (0006)', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  await authority.addKey(account);
  await loseLastChange(account);

  await authority.removeKey(account, key);
  const decision = authority.authz.context(await authority.caller(account, key));

  await expect(decision).rejects.toMatchObject({ kind: 'unavailable' });
  await authority.addKey(account);
  await expect(authority.authz.context(await authority.caller(account, key))).rejects.toMatchObject(
    { kind: 'unavailable' },
  );
  await driftOf(authority, { repair: true });
  const { connected } = await authority.authz.context(await authority.caller(account, key));
  expect(connected).toBe(false);
});

test('a database older than the last applied change is detected like an older store (0006)', async () => {
  const account = await authority.addAccount();
  await authority.addKey(account);
  await authority.addKey(account);
  await loseLastChange(account);

  await expect(authority.authz.requireStore()).rejects.toMatchObject({ kind: 'unavailable' });
  await driftOf(authority, { repair: true });
  await authority.authz.requireStore();
});

test('an edit never reuses the content number of a lost edit', async () => {
  const account = await authority.addAccount();
  const scope = { kind: 'account', id: account } as const;
  const edit = async () => {
    await authority.authz.editContent({
      ...{ actor, reason: 'mcp_settings.update', writes: [scope], basis: null },
      work: async () => {},
    });
    return (await readScopes(authority.database.pool, [scope]))[0]!.content;
  };
  const before = await edit();
  const lost = await edit();
  await authority.database.pool.query(sql.unsafe`
    UPDATE authz_scope SET content = ${before} WHERE kind = 'account' AND id = ${account}`);

  const now = await edit();

  expect(lost).toBeGreaterThan(before);
  expect(now).toBeGreaterThan(lost);
});

test("a store that lacks this deployment's model refuses every decision (authorization.md 9)", async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const setModel = (id: string) =>
    authority.database.pool.query(sql.unsafe`UPDATE authz_deployment SET model_id = ${id}`);
  await setModel('01HVMMBCMGZNT3SED4Z17ECXCA');
  const withoutModel = await createAuthority(deployment);
  onTestFinished(withoutModel.close);
  await setModel(authority.engine.modelId);

  await expect(withoutModel.authz.requireStore()).rejects.toMatchObject({ kind: 'unavailable' });
  const decision = withoutModel.authz.context(await withoutModel.caller(account, key));
  await expect(decision).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a repair does not undo a change applied in the meantime', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  await rewindFence(account);
  const racing = await createAuthority(deployment, {
    wrap: (engine) => ({
      ...engine,
      // Another writer corrects the fence between the repair's read and its Write.
      async write(delta) {
        if (delta.writes.length === 1 && delta.writes[0]!.relation === 'at')
          await engine.write(delta);
        return engine.write(delta);
      },
    }),
  });

  const found = await driftOf(racing, { repair: true });
  await racing.close();

  expect(found).toMatchObject([{ scope: `account:${account}`, repaired: true }]);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
  const { connected } = await authority.authz.context(await authority.caller(account, key));
  expect(connected).toBe(true);
});

test('a lost store is rebuilt from the rows', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const openfga = { ...deployment.openfga, storeId: await createStore(deployment.openfga) };
  const log = createLog('silent');

  await expect(deployModel(authority.database, openfga, { log, projections })).rejects.toThrow(
    '--rebuild',
  );
  await deployModel(authority.database, openfga, { log, projections, rebuild: true });
  const rebuilt = await createAuthority({ ...deployment, openfga });
  await driftOf(rebuilt, { repair: true });

  await rebuilt.authz.requireStore();
  expect(await driftOf(rebuilt, { repair: false })).toEqual([]);
  const answer = await rebuilt.authz.context(await rebuilt.caller(account, key));
  expect([answer.connected, answer.capabilities.has('tools')]).toEqual([true, true]);
  await expect(authority.authz.requireStore()).rejects.toMatchObject({ kind: 'unavailable' });
  await rebuilt.close();
});
