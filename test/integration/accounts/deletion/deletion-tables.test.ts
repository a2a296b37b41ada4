import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { createDeployment } from '../../../support/servers/deployment.ts';

const client = new pg.Client({ connectionString: (await createDeployment()).databaseUrl });
await client.connect();
afterAll(() => client?.end());

/** History stores ids only and has no foreign keys. */
const HISTORY = ['usage_ledger', 'access_decision', 'access_review_entry'];

test('every table with an account_id cascades on deletion and has an index on it', async () => {
  const { rows } = await client.query<{ name: string; cascades: boolean; is_indexed: boolean }>(
    `SELECT relname AS name,
       EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype = 'f'
         AND c.confrelid = 'account'::regclass AND c.confdeltype = 'c'
         AND c.conkey = ARRAY[a.attnum]) AS cascades,
       EXISTS (SELECT FROM pg_index i WHERE i.indrelid = t.oid AND i.indkey[0] = a.attnum
         AND i.indpred IS NULL) AS is_indexed
     FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'account_id'
     WHERE t.relkind IN ('r', 'p') AND NOT t.relispartition
       AND t.relnamespace = 'public'::regnamespace`,
  );

  const owned = rows.filter(({ name }) => !HISTORY.includes(name));
  expect(owned.length).toBeGreaterThan(7);
  expect(owned.filter(({ cascades, is_indexed }) => !cascades || !is_indexed)).toEqual([]);
});

test('every foreign key has an index, so that a deletion scans no table that refers to the row', async () => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT t.relname || ': ' || c.conname AS name
     FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
     WHERE c.contype = 'f' AND t.relnamespace = 'public'::regnamespace AND NOT t.relispartition
       -- Scopes are never deleted.
       AND c.confrelid <> 'authz_scope'::regclass
       AND NOT EXISTS (SELECT FROM pg_index i
         WHERE i.indrelid = t.oid AND i.indkey[0] = ANY(c.conkey)
           -- A partial index only serves if it has every row that refers to one.
           AND (i.indpred IS NULL
             OR pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$'))`,
  );

  expect(rows).toEqual([]);
});
