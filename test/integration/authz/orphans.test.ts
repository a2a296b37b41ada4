import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readScopes } from '../../../src/authz/changes/store.ts';
import { PLATFORM } from '../../../src/authz/system-roles.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { driftOf } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { authority } = await useAuthority();

const unknownId = randomUUID();
const orphans = [
  { user: `user:${unknownId}`, relation: 'session', object: `account:${unknownId}` },
  { user: 'revision:7', relation: 'at', object: `scope:account.${unknownId}` },
  { user: 'user:mallory', relation: 'session', object: 'account:mallory' },
];

test('orphaned tuples are found and deleted through the outbox', async () => {
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

test('orphaned tuples are found on every page of a store', async () => {
  for (let account = 0; account < 40; account += 1)
    await authority.addKey(await authority.addAccount());
  await authority.engine.write({ writes: [orphans[0]!], deletes: [] });

  const found = await driftOf(authority, { repair: true });

  expect(found).toMatchObject([
    { scope: `account:${unknownId}`, extra: [orphans[0]], repaired: true },
  ]);
});

test('concurrent repairs delete an orphaned tuple once and leave no scope stuck', async () => {
  for (let round = 0; round < 5; round += 1) {
    await authority.engine.write({ writes: [orphans[0]!], deletes: [] });

    await Promise.all([1, 2, 3].map(async () => driftOf(authority, { repair: true })));

    expect(await driftOf(authority, { repair: false })).toEqual([]);
  }
});

test('a tuple whose object gets a row during the comparison is not deleted', async () => {
  const [orphan] = orphans;
  await authority.engine.write({ writes: [orphan!], deletes: [] });
  let isOwned = false;
  const read: typeof authority.engine.read = async (object) => {
    if (object === orphan!.object && !isOwned) {
      isOwned = true;
      await authority.database.pool.query(sql.unsafe`
        INSERT INTO authz_scope (kind, id) VALUES ('account', ${unknownId})`);
    }
    return authority.engine.read(object);
  };

  const found = await driftOf(
    { ...authority, engine: { ...authority.engine, read } },
    { repair: true },
  );

  expect(isOwned).toBe(true);
  expect(found).toMatchObject([{ scope: orphan!.object, repaired: false }]);
  expect(await authority.engine.read(orphan!.object)).toEqual([orphan]);
  await authority.database.pool.query(sql.unsafe`
    DELETE FROM authz_scope WHERE kind = 'account' AND id = ${unknownId}`);
  await driftOf(authority, { repair: true });
});

test('a deletion that OpenFGA refuses leaves the platform scope open', async () => {
  const [orphan] = orphans;
  await authority.engine.write({ writes: [orphan!], deletes: [] });
  const write: typeof authority.engine.write = async (delta) => {
    // Another writer deletes the tuple first.
    if (delta.deletes.some(({ object }) => object === orphan!.object))
      await authority.engine.write({ deletes: [orphan!], writes: [] });
    return authority.engine.write(delta);
  };
  const racing = { ...authority, engine: { ...authority.engine, write } };

  const found = await driftOf(racing, { repair: true });

  expect(found).toMatchObject([{ scope: orphan!.object, repaired: false }]);
  const [platform] = await readScopes(authority.database.pool, [PLATFORM]);
  expect(platform).toMatchObject({ is_stuck: false, applied: platform!.revision });
  await driftOf(authority, { repair: true });
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

test('the fence of an unregistered kind of scope is not orphaned', async () => {
  const kinds = ['membership', 'galaxy'];
  const fences = kinds.map((kind) => ({
    ...{ user: 'revision:7', relation: 'at' },
    object: `scope:${kind}.${unknownId}`,
  }));
  await authority.engine.write({ writes: fences, deletes: [] });

  const found = await driftOf(authority, { repair: true });

  expect(found).toMatchObject([{ scope: 'objects of type scope', unregistered: 2 }]);
  const held = (await Array.fromAsync(authority.engine.readAll())).flat();
  expect(held).toEqual(expect.arrayContaining(fences));
  await authority.engine.write({ writes: [], deletes: fences });
});

test('a tuple whose subject type no slice projects is counted and not deleted', async () => {
  const account = await authority.addAccount();
  const object = `account:${account}`;
  const foreign = { user: `connection:${unknownId}`, relation: 'runs_here', object };
  expect(await authority.engine.write({ writes: [foreign], deletes: [] })).toBe('written');

  const found = await driftOf(authority, { repair: true });

  expect(found).toMatchObject([
    { scope: 'connection on objects of type account', unregistered: 1, repaired: false },
  ]);
  expect(await authority.engine.read(object)).toContainEqual(foreign);
  await authority.engine.write({ writes: [], deletes: [foreign] });
});

test('drift counts tuples of unregistered object types and never changes them', async () => {
  const object = `membership:acme.${unknownId}`;
  const foreign = [
    { user: `account:${unknownId}`, relation: 'person', object },
    { user: 'org_role:owner', relation: 'role', object },
    { user: 'everyone:live#any', relation: 'members_read', object: `org_role:${unknownId}` },
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
