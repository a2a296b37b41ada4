import pg from 'pg';
import type { Deployment } from '../support/servers/deployment-on.ts';

const ACCOUNTS = 10_000;
const KEYS_EACH = 10;
const TUPLES_EACH = 100;
// Background work that the server would otherwise do during the measurement.
const VACUUM = ['VACUUM ANALYZE', 'CHECKPOINT'];

/**
 * Adds 10⁵ keys and 10⁶ tuples to the store of the measured tenants, as a year of use would. They
 * are written directly into both databases and never requested.
 */
export async function fillStore(deployment: Deployment, openfgaDatabaseUrl: string): Promise<void> {
  await runSql(deployment.databaseUrl, [
    `INSERT INTO account (id, email)
     SELECT gen_random_uuid(), 'big.' || n || '@example.com' FROM generate_series(1, ${ACCOUNTS}) n`,
    `INSERT INTO authz_scope (kind, id)
     SELECT 'account', id FROM account WHERE email LIKE 'big.%'`,
    `INSERT INTO api_key (id, account_id, name, secret_hash, secret_prefix, grants,
       mcp_capabilities, tool_policy, resource_policy, prompt_policy, agent_policy)
     SELECT gen_random_uuid(), a.id, 'key ' || n, sha256((a.id::text || n)::bytea), 'sk_0000', '[]',
       '{tools}', '{"mode":"all"}', '{"mode":"all"}', '{"mode":"all"}', '{"mode":"all"}'
     FROM account a, generate_series(1, ${KEYS_EACH}) n WHERE a.email LIKE 'big.%'`,
    ...VACUUM,
  ]);
  await runSql(openfgaDatabaseUrl, [
    `INSERT INTO tuple (store, object_type, object_id, relation, _user, user_type, ulid, inserted_at)
     SELECT '${deployment.openfga.storeId}', 'account', 'big' || a, 'declared_tools',
       'api_key:big' || a || '.' || k, 'user', lpad(a || 'X' || k, 26, '0'), now()
     FROM generate_series(1, ${ACCOUNTS}) a, generate_series(1, ${TUPLES_EACH}) k`,
    ...VACUUM,
  ]);
}

/** Does what autovacuum does minutes later; until then PostgreSQL plans for an empty store. */
export const vacuum = (url: string) => runSql(url, VACUUM);

async function runSql(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
