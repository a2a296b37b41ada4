import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sql } from '../../../src/platform/postgres/database.ts';
import { driftOf } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { authority } = await useAuthority();

const nobody = randomUUID();
const orphans = [
  { user: `user:${nobody}`, relation: 'session', object: `account:${nobody}` },
  { user: 'revision:7', relation: 'at', object: `scope:account.${nobody}` },
  { user: 'user:mallory', relation: 'session', object: 'account:mallory' },
];

test('tuples on objects that no rows stand behind are found, and taken away through the outbox', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
  await authority.engine.write({ writes: orphans, deletes: [] });

  const found = await driftOf(authority, { repair: false });
  const repaired = await driftOf(authority, { repair: true });

  const objects = new Set(orphans.map(({ object }) => object));
  expect(new Set(found.map(({ scope }) => scope))).toEqual(objects);
  expect(found.flatMap(({ extra }) => extra)).toEqual(expect.arrayContaining(orphans));
  expect(found.flatMap(({ extra }) => extra)).toHaveLength(orphans.length);
  expect(repaired).toEqual(found.map((drift) => ({ ...drift, repaired: true })));
  expect(await driftOf(authority, { repair: false })).toEqual([]);
  const { rows } = await authority.database.pool.query(sql.unsafe`
    SELECT deletes FROM authz_outbox WHERE reason = 'drift.repair' AND applied_at IS NOT NULL`);
  expect(rows).toEqual([{ deletes: expect.arrayContaining(orphans) }]);
  const { connected } = await authority.authz.context(await authority.caller(account, key));
  expect(connected).toBe(true);
});

test('they are found on every page of a store', async () => {
  for (let account = 0; account < 40; account += 1)
    await authority.addKey(await authority.addAccount());
  await authority.engine.write({ writes: [orphans[0]!], deletes: [] });

  const found = await driftOf(authority, { repair: true });

  expect(found).toMatchObject([
    { scope: `account:${nobody}`, extra: [orphans[0]], repaired: true },
  ]);
});

test('repairs that run at once take an orphaned tuple away once, and leave no scope stuck', async () => {
  for (let round = 0; round < 5; round += 1) {
    await authority.engine.write({ writes: [orphans[0]!], deletes: [] });

    await Promise.all([1, 2, 3].map(async () => driftOf(authority, { repair: true })));

    expect(await driftOf(authority, { repair: false })).toEqual([]);
  }
});

test('drift counts tuples of a type that no module registered, and never touches them', async () => {
  const object = `membership:acme.${nobody}`;
  const foreign = [
    { user: `account:${nobody}`, relation: 'person', object },
    { user: 'org_role:owner', relation: 'role', object },
    { user: 'everyone:live#any', relation: 'members_read', object: `org_role:${nobody}` },
  ];
  const outcome = await authority.engine.write({ writes: [...foreign, orphans[0]!], deletes: [] });
  expect(outcome).toBe('written');

  const found = await driftOf(authority, { repair: true });

  const left = { missing: [], extra: [], fence_agrees: true, repaired: false };
  expect(found).toEqual([
    { ...left, scope: orphans[0]!.object, extra: [orphans[0]], repaired: true },
    { ...left, scope: 'objects of type membership', unregistered: 2 },
    { ...left, scope: 'objects of type org_role', unregistered: 1 },
  ]);
  const held = (await Array.fromAsync(authority.engine.readAll())).flat();
  expect(held).toEqual(expect.arrayContaining(foreign));
  await authority.engine.write({ writes: [], deletes: foreign });
});
