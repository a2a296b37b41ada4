import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sql } from '../../../src/platform/database.ts';
import { driftOf } from '../../support/authority.ts';
import { useAuthority } from './use-authority.ts';

const { authority } = await useAuthority();

const nobody = randomUUID();
const strays = [
  { user: `user:${nobody}`, relation: 'session', object: `account:${nobody}` },
  { user: `account:${nobody}`, relation: 'person', object: `membership:acme.${nobody}` },
  { user: 'org_role:owner', relation: 'role', object: `membership:acme.${nobody}` },
  { user: 'revision:7', relation: 'at', object: `scope:account.${nobody}` },
  { user: 'user:mallory', relation: 'session', object: 'account:mallory' },
];

test('tuples on objects that no rows stand behind are found, and taken away through the outbox', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
  await authority.engine.write({ writes: strays, deletes: [] });

  const found = await driftOf(authority, { repair: false });
  const repaired = await driftOf(authority, { repair: true });

  const objects = new Set(strays.map(({ object }) => object));
  expect(new Set(found.map(({ scope }) => scope))).toEqual(objects);
  expect(found.flatMap(({ extra }) => extra)).toEqual(expect.arrayContaining(strays));
  expect(found.flatMap(({ extra }) => extra)).toHaveLength(strays.length);
  expect(repaired).toEqual(found.map((drift) => ({ ...drift, repaired: true })));
  expect(await driftOf(authority, { repair: false })).toEqual([]);
  const { rows } = await authority.database.pool.query(sql.unsafe`
    SELECT deletes FROM authz_outbox WHERE reason = 'drift.repair' AND applied_at IS NOT NULL`);
  expect(rows).toEqual([{ deletes: expect.arrayContaining(strays) }]);
  const { connected } = await authority.authz.context(await authority.caller(account, key));
  expect(connected).toBe(true);
});

test('they are found on every page of a store', async () => {
  for (let account = 0; account < 40; account += 1)
    await authority.addKey(await authority.addAccount());
  await authority.engine.write({ writes: [strays[0]!], deletes: [] });

  const found = await driftOf(authority, { repair: true });

  expect(found).toMatchObject([{ scope: `account:${nobody}`, extra: [strays[0]], repaired: true }]);
});

test('repairs that run at once take a stray away once, and leave no scope stuck', async () => {
  for (let round = 0; round < 5; round += 1) {
    await authority.engine.write({ writes: [strays[0]!], deletes: [] });

    await Promise.all([1, 2, 3].map(async () => driftOf(authority, { repair: true })));

    expect(await driftOf(authority, { repair: false })).toEqual([]);
  }
});
