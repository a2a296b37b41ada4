import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sql } from '../../../src/platform/postgres/database.ts';
import { createAuthority, driftOf } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { deployment, authority, revokeRefused } = await useAuthority();

const unavailable = { kind: 'unavailable' };
const decide = async (account: string, key: string) =>
  authority.authz.context(await authority.caller(account, key));

const agePendingChanges = () =>
  authority.database.pool.query(sql.unsafe`
    UPDATE authz_scope SET dirty_since = now() - '1 hour'::interval WHERE applied < revision`);

test('if OpenFGA rejects a change of a scope, requests in that scope are refused, and in no other (authorization.md 9)', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const other = await authority.addAccount();
  const otherKey = await authority.addKey(other);

  await revokeRefused(account, key);
  await agePendingChanges();

  await expect(decide(account, key)).rejects.toMatchObject(unavailable);
  expect((await decide(other, otherKey)).connected).toBe(true);
  expect(await authority.authz.backlog()).toEqual({ seconds: 0, stuck: 1 });
});

test('a change that OpenFGA rejects as invalid blocks only its own scope (authorization.md 9)', async () => {
  const account = await authority.addAccount();
  const before = await authority.authz.backlog();
  const broken = await createAuthority(deployment, {
    wrap: (engine) => ({ ...engine, write: async () => 'invalid' as const }),
  });

  await broken.addKey(account);
  await broken.close();
  await agePendingChanges();

  const { seconds, stuck } = await authority.authz.backlog();
  expect([seconds, stuck]).toEqual([0, before.stuck + 1]);
});

test('a change that waits for OpenFGA counts towards the backlog by its age', async () => {
  const account = await authority.addAccount();
  const silent = await createAuthority(deployment, {
    wrap: (engine) => ({ ...engine, write: async () => 'unknown' as const }),
  });

  await silent.addKey(account);
  await silent.close();
  await agePendingChanges();

  expect((await authority.authz.backlog()).seconds).toBeGreaterThan(3_000);
});

test('stuck scopes do not delay the worker', async () => {
  await authority.database.pool.query(sql.unsafe`
    INSERT INTO authz_scope (kind, id, revision, dirty_since, stuck_since)
    SELECT 'account', gen_random_uuid(), 1, now() - '1 day'::interval, now()
    FROM generate_series(1, 250)`);
  const account = await authority.addAccount();
  const silent = await createAuthority(deployment, {
    wrap: (engine) => ({ ...engine, write: async () => 'unknown' as const }),
  });
  await silent.addKey(account);
  await silent.close();

  authority.authz.start();

  await expect
    .poll(() => authority.authz.backlog(), { timeout: 10_000 })
    .toMatchObject({ seconds: 0 });
  await authority.authz.stop();
  await authority.database.pool.query(sql.unsafe`
    DELETE FROM authz_scope WHERE dirty_since < now() - '12 hours'::interval`);
});

test('a repair reopens a stuck scope with the tuples its rows project to', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const kept = await authority.addKey(account);
  await revokeRefused(account, key);

  const found = await driftOf(authority, { repair: true });

  expect(found.find(({ scope }) => scope === `account:${account}`)).toMatchObject({
    repaired: true,
  });
  const answers = [await decide(account, key), await decide(account, kept)];
  expect(answers.map(({ connected }) => connected)).toEqual([false, true]);
});

test('a request in a stuck scope is refused without calling OpenFGA', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  await revokeRefused(account, key);
  await expect(decide(account, key)).rejects.toMatchObject(unavailable);
  const requests: string[] = [];
  const countingAuthority = await createAuthority(deployment, {
    wrap: (engine) => ({
      ...engine,
      read: (object) => (requests.push(object), engine.read(object)),
      write: (delta) => (requests.push('write'), engine.write(delta)),
    }),
  });
  requests.length = 0;

  const refused = countingAuthority.authz.context(await countingAuthority.caller(account, key));

  await expect(refused).rejects.toMatchObject(unavailable);
  await countingAuthority.close();
  expect(requests).toEqual([]);
});

test("the worker's queue does not delay requests", async () => {
  const slow = new Set<string>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const busy = await createAuthority(deployment, {
    wrap: (engine) => ({
      ...engine,
      async write(delta) {
        if (delta.writes.some(({ object }) => slow.has(object))) await released;
        return engine.write(delta);
      },
    }),
  });
  const silent = await createAuthority(deployment, {
    wrap: (engine) => ({ ...engine, write: async () => 'unknown' as const }),
  });
  const accounts = await Promise.all(Array.from({ length: 10 }, () => authority.addAccount()));
  for (const account of accounts) slow.add(`account:${account}`);
  await Promise.all(accounts.map((account) => silent.addKey(account)));
  await silent.close();
  const own = await authority.addAccount();
  busy.authz.start();
  await setTimeout(1_500);

  const key = await busy.addKey(own);
  const { connected } = await busy.authz.context(await busy.caller(own, key));

  expect(connected).toBe(true);
  release();
  await busy.authz.stop();
  await busy.close();
});
