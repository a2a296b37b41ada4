import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { forgetRevokedCredentials } from '../../../src/accounts/accounts.ts';
import { listEndedKeys } from '../../../src/keys/store.ts';
import { listUnusable } from '../../../src/oauth/connections/store.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { createMeasuredPool } from '../../support/worlds/measured-pool.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const FORMER = 10_000;

const { databaseUrl: url } = await createDeployment();
const database = await closeAfterTests(createDatabase({ url, onIdleError: () => {} }));

// A statement times out after two seconds.
const BATCH = 1_000;

const run = (text: string, values: unknown[] = []) => database.authPool.query(text, values);

/** Creates accounts of former members, each with a key that was made later. */
async function createFormer(count: number): Promise<string[]> {
  if (count > BATCH)
    return [...(await createFormer(BATCH)), ...(await createFormer(count - BATCH))];
  const ids = Array.from({ length: count }, () => randomUUID());
  await run('INSERT INTO account (id) SELECT unnest($1::uuid[])', [ids]);
  await run(
    `UPDATE account SET credentials_ended = tstzmultirange(tstzrange(NULL, now(), '[]'))
     WHERE id = ANY($1)`,
    [ids],
  );
  await run(
    `INSERT INTO api_key (id, account_id, name, grants, secret_hash, secret_prefix,
       mcp_capabilities, tool_policy, resource_policy, prompt_policy, agent_policy)
     SELECT gen_random_uuid(), id, 'key', '[]', uuid_send(gen_random_uuid()), '', '{tools}', '{}',
       '{}', '{}', '{}' FROM unnest($1::uuid[]) AS id`,
    [ids],
  );
  return ids;
}

async function connect(account_id: string): Promise<void> {
  await run(
    `WITH client AS (
       INSERT INTO oauth_client (id, account_id, name, type, grant_types, redirect_uris, allowed_scopes)
       VALUES (gen_random_uuid(), $1, 'x', 'public', '{authorization_code}', '{http://localhost/}',
         '{mcp_tools}') RETURNING id)
     INSERT INTO oauth_connection (id, client_id, kind, account_id, scopes, activated_at)
     SELECT gen_random_uuid(), client.id, 'delegated', $1, '{mcp_tools}', now() FROM client`,
    [account_id],
  );
}

/** Moves the key or the connection of an account into a period that has ended. */
const moveBack = (table: 'api_key' | 'oauth_connection', account_id: string) =>
  run(`UPDATE ${table} SET created_at = now() - interval '1 day' WHERE account_id = $1`, [
    account_id,
  ]);

const passMinutes = () =>
  run("UPDATE ended_credentials SET ended_at = ended_at - interval '2 minutes'");

const unswept = async () =>
  (await run('SELECT account_id FROM ended_credentials')).rows.map((row) => row['account_id']);

test('the sweeps read no rows of 10,000 former members, once what ended is revoked', async () => {
  await createFormer(FORMER);
  const [live] = (await createFormer(1)) as [string];
  await connect(live);
  await moveBack('api_key', live);
  await moveBack('oauth_connection', live);
  await passMinutes();

  await forgetRevokedCredentials(database.pool);
  await run('ANALYZE');

  expect(await unswept()).toEqual([live]);
  const { rows, connection } = createMeasuredPool(database);
  expect(await listEndedKeys(connection, 20)).toMatchObject([{ account_id: live }]);
  expect(Math.max(...rows)).toBeLessThan(10);
  expect(await listUnusable(database.pool, 20)).toHaveLength(1);
});

test('an account is swept until its ended key and its ended connection are revoked, and a minute after they ended', async () => {
  await run('DELETE FROM ended_credentials');
  const [withKey, withConnection, revoked] = (await createFormer(3)) as [string, string, string];
  for (const id of [withKey, withConnection, revoked]) await connect(id);
  await moveBack('api_key', withKey);
  await moveBack('oauth_connection', withConnection);
  await moveBack('api_key', revoked);
  await run('UPDATE api_key SET revoked_at = now() WHERE account_id = $1', [revoked]);
  await passMinutes();
  const [recent] = await createFormer(1);

  await forgetRevokedCredentials(database.pool);

  expect(new Set(await unswept())).toEqual(new Set([withKey, withConnection, recent]));
});

test('an account is swept whose credentials a gateway of the previous release ends', async () => {
  const id = randomUUID();
  await run('INSERT INTO account (id) VALUES ($1)', [id]);

  await run('UPDATE account SET credentials_valid_from = now() WHERE id = $1', [id]);

  expect(await unswept()).toContain(id);
});
