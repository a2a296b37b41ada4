import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { countItems } from '../../../src/content/items/store.ts';
import { countUpstreams } from '../../../src/content/upstreams/store.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { createMeasuredPool } from '../../support/worlds/measured-pool.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const MEMBERS = 300;
const organization_id = randomUUID();
const quota_owner = { kind: 'organization', id: organization_id, plan: 'free' } as const;

const { databaseUrl } = await createDeployment();
const database = await closeAfterTests(createDatabase({ url: databaseUrl, onIdleError: () => {} }));
const query = (text: string, values: unknown[] = []) => database.authPool.query(text, values);
await query(`INSERT INTO space (id, kind, organization_id) VALUES ($1::uuid, 'organization', $1)`, [
  organization_id,
]);
await query(
  `WITH added AS (
     INSERT INTO account (id) SELECT gen_random_uuid() FROM generate_series(1, $2) RETURNING id
   ) INSERT INTO space (id, kind, account_id, organization_id)
   SELECT gen_random_uuid(), 'member', id, $1 FROM added`,
  [organization_id, MEMBERS],
);
// Two of each in the spaces of members, and items of another family and another owner.
await query(
  `INSERT INTO upstream (id, space_id, name, url, header_names, headers)
   SELECT gen_random_uuid(), id, 'up', '', '{}', '' FROM space WHERE kind = 'member' LIMIT 2`,
);
await query(`INSERT INTO space (id, kind, account_id)
  SELECT id, 'personal', id FROM account LIMIT 1`);
for (const [kind, family, count] of [
  ['member', 'prompt', 2],
  ['organization', 'tool', 1],
  ['personal', 'prompt', 1],
])
  await query(
    `INSERT INTO item (id, space_id, family, name, version, head)
     SELECT gen_random_uuid(), id, $2, 'one', 1, '{}' FROM space WHERE kind = $1 LIMIT $3`,
    [kind, family, count],
  );
await query('ANALYZE');

test('items are counted across the spaces of all members, without reading the spaces', async () => {
  const { rows, connection } = createMeasuredPool(database);

  expect(await countItems(connection, { quota_owner, family: 'prompt' })).toBe(2);
  expect(await countUpstreams(connection, quota_owner)).toBe(2);

  expect(Math.max(...rows)).toBe(2);
});
