import { expect, test, vi } from 'vitest';
import { createAppliers } from '../../../src/authz/changes/apply.ts';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import { readFence } from '../../../src/authz/changes/fence.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { actor, createAuthority, driftOf } from '../../support/worlds/authority.ts';
import type { Authority } from '../../support/worlds/authority.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const deployment = await createDeployment();
const authority = await closeAfterTests(createAuthority(deployment));
const otherAuthority = await closeAfterTests(createAuthority(deployment));

const appliersOf = ({ database, engine }: Authority) =>
  createAppliers({ database, engine, log: createLog('silent') });
const scopeOf = (id: string) => ({ kind: 'account', id }) as const;

test('a revocation on one instance applies to the next check on another', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const before = await otherAuthority.authz.context(await otherAuthority.caller(account, key));

  await authority.removeKey(account, key);
  const after = await otherAuthority.authz.context(await otherAuthority.caller(account, key));

  expect([before.connected, before.capabilities.has('tools')]).toEqual([true, true]);
  expect([after.connected, after.capabilities.has('tools')]).toEqual([false, false]);
});

test('concurrent changes of one scope are each applied once, in order', async () => {
  const account = await authority.addAccount();

  const keys = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? authority : otherAuthority).addKey(account),
    ),
  );

  await appliersOf(authority).apply(scopeOf(account), 10_000);

  const [scope] = await readScopes(authority.database.pool, [scopeOf(account)]);
  expect([scope?.revision, scope?.applied]).toEqual([21, 21]);
  expect(await readFence(authority.engine, scopeOf(account))).toMatch(/^21\./);
  const held = await authority.engine.read(`account:${account}`);
  expect(held).toHaveLength(1 + 3 * keys.length);
});

test('many concurrent appliers write one change once', async () => {
  const account = await authority.addAccount();
  const silent = await createAuthority(deployment, {
    wrap: (engine) => ({ ...engine, write: async () => 'unknown' as const }),
  });
  const key = await silent.addKey(account);
  await silent.close();
  const appliers = Array.from({ length: 20 }, () => appliersOf(authority));

  const done = await Promise.all(appliers.map((applier) => applier.apply(scopeOf(account), 5_000)));

  expect(done).toEqual(done.map(() => true));
  expect(await readFence(authority.engine, scopeOf(account))).toMatch(/^2\./);
  const { connected } = await authority.authz.context(await authority.caller(account, key));
  expect(connected).toBe(true);
});

test('a change is rolled back if its basis has changed', async () => {
  const account = await authority.addAccount();
  const caller = await authority.caller(account, await authority.addKey(account));
  await otherAuthority.addKey(account);

  const change = authority.authz.change({
    actor,
    reason: 'key.update',
    writes: [scopeOf(account)],
    objects: [],
    targets: [],
    basis: caller.scopes,
    work: async (transaction) =>
      void (await transaction.query(
        sql.unsafe`DELETE FROM test_key WHERE account_id = ${account}`,
      )),
  });

  await expect(change).rejects.toBeInstanceOf(ConcurrentUpdate);
  const { rows } = await authority.database.pool.query(sql.unsafe`
    SELECT id FROM test_key WHERE account_id = ${account}`);
  expect(rows).toHaveLength(2);
});

test('an edit of content is rolled back if its basis has changed', async () => {
  const account = await authority.addAccount();
  const other = await authority.addAccount();
  const caller = await authority.caller(account, await authority.addKey(account));
  const edit = (basis: typeof caller.scopes) =>
    authority.authz.editContent({
      actor,
      reason: 'mcp_settings.update',
      writes: [scopeOf(other)],
      basis,
      work: async (transaction) =>
        void (await transaction.query(
          sql.unsafe`DELETE FROM test_key WHERE account_id = ${account}`,
        )),
    });
  const contentOf = async () =>
    (await readScopes(authority.database.pool, [scopeOf(other)]))[0]!.content;
  const keysOf = async () =>
    (
      await authority.database.pool.query(sql.unsafe`
      SELECT id FROM test_key WHERE account_id = ${account}`)
    ).rows;
  const before = await contentOf();
  await otherAuthority.addKey(account);

  const stale = edit(caller.scopes);

  await expect(stale).rejects.toBeInstanceOf(ConcurrentUpdate);
  expect([await contentOf(), (await keysOf()).length]).toEqual([before, 2]);
  await edit(await readScopes(authority.database.pool, [scopeOf(account)]));
  expect(await contentOf()).toBeGreaterThan(before);
  expect(await keysOf()).toEqual([]);
  // The key rows are deleted, but no change removed their tuples.
  await driftOf(authority, { repair: true });
});

test('drift is found in both directions and repaired through the outbox', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const object = `account:${account}`;
  const extra = { user: `api_key:${key}`, relation: 'declared_agents', object };
  const missing = { user: `api_key:${key}`, relation: 'declared_tools', object };
  await authority.engine.write({ deletes: [missing], writes: [extra] });

  const found = await driftOf(authority, { repair: true });

  expect(found.filter((drift) => drift.scope === object)).toEqual([
    { scope: object, missing: [missing], extra: [extra], fence_agrees: true, repaired: true },
  ]);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

test('a check in a scope whose tuples lag behind its rows is refused, not answered from stale data', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const cut = await createAuthority(deployment, {
    wrap: (engine) => ({ ...engine, write: async () => 'unknown' as const }),
  });
  expect((await cut.authz.context(await cut.caller(account, key))).connected).toBe(true);

  await cut.removeKey(account, key);
  const decision = cut.authz.context(await cut.caller(account, key));

  await expect(decision).rejects.toMatchObject({ kind: 'unavailable' });
  // On a busy machine, applying the change may take longer than a single check waits.
  const applied = await vi.waitFor(
    async () => authority.authz.context(await authority.caller(account, key)),
    10_000,
  );
  expect(applied.connected).toBe(false);
  await cut.close();
});

test('a check waits for the revision it read, not for later ones', async () => {
  const account = await authority.addAccount();
  let allowedWrites = 0;
  const slow = await createAuthority(deployment, {
    wrap: (engine) => ({
      ...engine,
      write: async (delta) =>
        (allowedWrites -= 1) < 0 ? ('unknown' as const) : engine.write(delta),
    }),
  });
  const key = await slow.addKey(account);
  const caller = await slow.caller(account, key);
  await slow.removeKey(account, key);
  const later = await slow.caller(account, key);

  allowedWrites = 1;
  // On a busy machine, applying the change may take longer than a single check waits.
  const { connected } = await vi.waitFor(() => slow.authz.context(caller), 10_000);

  expect(connected).toBe(true);
  await expect(slow.authz.context(later)).rejects.toMatchObject({ kind: 'unavailable' });
  await slow.close();
});
