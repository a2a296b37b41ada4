import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';

/** A connection, and the person who tests it. */
interface TestKey {
  connection_id: string;
  account_id: string;
}

/** Records that a person has signed in through the connection as it is configured now. */
export async function recordTest(
  transaction: Transaction,
  { connection_id, account_id }: TestKey,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO sso_test (connection_id, account_id) VALUES (${connection_id}, ${account_id})
    ON CONFLICT (connection_id, account_id) DO UPDATE SET succeeded_at = now()`);
}

/** Forgets the tests of a connection whose configuration changes. */
export async function dropTests(transaction: Transaction, connection_id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM sso_test WHERE connection_id = ${connection_id}`);
}

/** Returns whether the person has tested a connection of the organization within the last hour. */
export function hasRecentTest(
  db: Queryable,
  { organization_id, account_id }: { organization_id: string; account_id: string },
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM sso_test t JOIN sso_connection c ON c.id = t.connection_id
    WHERE c.organization_id = ${organization_id} AND t.account_id = ${account_id}
      AND t.succeeded_at > now() - interval '1 hour'`);
}

export async function insertTestLink(
  db: Queryable,
  link: TestKey & { token_hash: Buffer; return_path: string },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO sso_test_link (token_hash, connection_id, account_id, return_path)
    VALUES (${sql.binary(link.token_hash)}, ${link.connection_id}, ${link.account_id},
      ${link.return_path})`);
}

const LinkRow = z.object({ return_path: z.string() });

/** Consumes a link, once; null if it is not valid for the connection and the person. */
export function takeTestLink(
  db: Queryable,
  { token_hash, connection_id, account_id }: TestKey & { token_hash: Buffer },
) {
  return db.maybeOne(sql.type(LinkRow)`
    DELETE FROM sso_test_link
    WHERE token_hash = ${sql.binary(token_hash)} AND connection_id = ${connection_id}
      AND account_id = ${account_id} AND expires_at > now()
    RETURNING return_path`);
}

export async function sweepTestLinks(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'sso_test_link', column: 'expires_at', age: '1 hour' });
}
