import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { countItems } from '../../../src/content/items/store.ts';
import { migrateRows } from '../../../src/migrate.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { useEmptyDatabase } from '../../support/servers/empty-database.ts';

const columns = ['account_id', 'organization_id', 'team_id'] as const;

const owners = {
  personal: ['account_id'],
  member: ['account_id', 'organization_id'],
  team: ['organization_id', 'team_id'],
  organization: ['organization_id'],
} as const;

test('a space has exactly the owners its kind requires, and the id of its owner', async () => {
  const { url, query } = await useEmptyDatabase();
  await migrateRows(url);
  const id = { account_id: randomUUID(), organization_id: randomUUID(), team_id: randomUUID() };
  await query(`INSERT INTO account (id) VALUES ('${id.account_id}')`);
  const ids = { personal: id.account_id, team: id.team_id, organization: id.organization_id };
  const insert = (kind: string, space_id: string, named: readonly string[]) => {
    const values = columns.map((column) => (named.includes(column) ? `'${id[column]}'` : 'NULL'));
    return query(`INSERT INTO space (id, kind, ${columns.join(', ')})
      VALUES ('${space_id}', '${kind}', ${values.join(', ')})`);
  };

  for (const [kind, own] of Object.entries(owners)) {
    const space_id = { ...ids, member: randomUUID() }[kind as keyof typeof owners];
    for (let set = 0; set < 8; set += 1) {
      const named = columns.filter((_, index) => (set & (1 << index)) !== 0);
      const isOwn = named.join() === own.join();
      if (isOwn) continue;
      await expect(insert(kind, space_id, named), `${kind} of ${named.join()}`).rejects.toThrow();
    }
    if (kind !== 'member')
      await expect(insert(kind, randomUUID(), own)).rejects.toThrow('space_has_its_owners_id');
    await insert(kind, space_id, own);
  }
  expect(await query('SELECT kind FROM space WHERE quota_owner_id IS NOT NULL')).toHaveLength(4);

  await query('DELETE FROM account');
  expect(await query('SELECT kind FROM space ORDER BY kind')).toEqual([
    { kind: 'organization' },
    { kind: 'team' },
  ]);
});

test('a plan counts the items in all spaces of its quota owner, and in no others', async () => {
  const { url, query } = await useEmptyDatabase();
  await migrateRows(url);
  const database = await createDatabase({ url, onIdleError: () => {} });
  onTestFinished(() => database.close());
  const [account_id, organization_id, team_id, member] = Array.from({ length: 4 }, randomUUID);
  await query(`INSERT INTO account (id) VALUES ('${account_id}')`);
  await query(`INSERT INTO space (id, kind, account_id, organization_id, team_id) VALUES
    ('${account_id}', 'personal', '${account_id}', NULL, NULL),
    ('${member}', 'member', '${account_id}', '${organization_id}', NULL),
    ('${team_id}', 'team', NULL, '${organization_id}', '${team_id}'),
    ('${organization_id}', 'organization', NULL, '${organization_id}', NULL)`);
  await query(`INSERT INTO item (id, space_id, family, name, version, head)
    SELECT gen_random_uuid(), space.id, family, 'x', 1, '{}'
    FROM space, unnest(ARRAY['prompt', 'agent']) AS family`);
  const count = (kind: 'account' | 'organization', id: string) =>
    countItems(database.pool, { quota_owner: { kind, id, plan: 'free' }, family: 'prompt' });

  expect(await count('account', account_id!)).toBe(1);
  expect(await count('organization', organization_id!)).toBe(3);
});
