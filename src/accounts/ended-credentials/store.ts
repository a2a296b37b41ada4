import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';

/**
 * Forgets the accounts whose ended keys and OAuth connections are all revoked; the sweeps look at them
 * no more. A minute after the end, no transaction that creates one can be running.
 */
export async function forgetRevokedCredentials(db: Queryable): Promise<void> {
  const liveOf = (table: 'api_key' | 'oauth_connection') => sql.fragment`
    SELECT FROM account a JOIN ${sql.identifier([table])} c ON c.account_id = a.id
    WHERE a.id = ended_credentials.account_id AND c.revoked_at IS NULL
      AND a.credentials_ended @> c.created_at`;
  await sweepOlder(db, {
    table: 'ended_credentials',
    column: 'ended_at',
    age: '1 minute',
    where: sql.fragment`NOT EXISTS (${liveOf('api_key')})
      AND NOT EXISTS (${liveOf('oauth_connection')})`,
  });
}
