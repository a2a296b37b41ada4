import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection, Database } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import { SessionRecord } from './schema.ts';
import type { RefreshToken } from './tokens.ts';

const CallerRow = z.object({
  id: z.string(),
  account_id: z.string(),
  auth_time: z.string(),
  email: z.string(),
  plan: z.enum(['free', 'pro', 'enterprise']),
  revision: z.number(),
  applied: z.number(),
  nonce: z.string(),
  content: z.number(),
  /** Database time of the read, in whole seconds of the epoch. */
  asked: z.number(),
});

export type CallerRow = z.infer<typeof CallerRow>;

// Session, account and authority in one statement: what is ended is ended at the next request.
const CALLERS_QUERY = {
  name: 'session-callers',
  text: `
    SELECT s.id, s.account_id, s.auth_time, coalesce(a.email, '') AS email, a.plan,
      z.revision, z.applied, z.nonce, z.content, floor(extract(epoch FROM now()))::bigint AS asked
    FROM account_session s
    JOIN account a ON a.id = s.account_id
    JOIN authz_scope z ON z.kind = 'account' AND z.id = a.id
    WHERE s.id = ANY($1::uuid[]) AND s.revoked_at IS NULL AND s.expires_at > now()
      AND a.status = 'active'`,
};

/** Live sessions of active accounts by id, read by one prepared statement. */
export async function readCallers(
  hot: Database['hot'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, CallerRow>> {
  const { rows } = await hot.query({ ...CALLERS_QUERY, values: [ids] });
  return new Map(rows.map((row) => [row.id, CallerRow.parse(row)]));
}

const IssuedRow = z.object({
  id: z.string(),
  account_id: z.string(),
  /** Database time, in seconds of the epoch. */
  issued: z.number(),
  /** Seconds until the session itself ends. */
  remaining: z.number(),
  /** The number of the refresh token. */
  rotation: z.number(),
});
export type Issued = z.infer<typeof IssuedRow>;

const issuedColumns = sql.fragment`
  account_session.id, account_session.account_id, account_session.rotation,
  floor(extract(epoch FROM now()))::bigint AS issued,
  ceil(extract(epoch FROM account_session.expires_at - now()))::bigint AS remaining`;

export interface NewSession {
  id: string;
  account_id: string;
  /** The account's at the proof. */
  sessions_ended: number;
  amr: readonly string[];
  ip: string;
  user_agent: string | null;
}

/**
 * Null if all sessions ended since the proof, or the account is not active. Whoever ends them
 * waits for the lock, and then finds this one among them.
 */
export async function insertSession(
  connection: Connection,
  session: NewSession,
): Promise<Issued | null> {
  return connection.maybeOne(sql.type(IssuedRow)`
    INSERT INTO account_session (id, account_id, amr, ip, user_agent, expires_at)
    SELECT ${session.id}, account.id, ${sql.array(session.amr, 'text')},
      ${session.ip}, ${session.user_agent}, now() + interval '30 days'
    FROM account
    WHERE account.id = ${session.account_id} AND account.status = 'active'
      AND account.sessions_ended = ${session.sessions_ended}
    FOR NO KEY UPDATE
    RETURNING ${issuedColumns}`);
}

const live = sql.fragment`
  account_session.revoked_at IS NULL AND account_session.expires_at > now()
  AND account.id = account_session.account_id AND account.status = 'active'`;

/** Compare-and-set: of any number of holders of one token, one moves the chain on. */
export async function rotate(
  connection: Connection,
  { session_id, rotation }: RefreshToken,
): Promise<Issued | null> {
  return connection.maybeOne(sql.type(IssuedRow)`
    UPDATE account_session SET rotation = rotation + 1, rotated_at = now()
    FROM account
    WHERE account_session.id = ${session_id} AND rotation = ${rotation} AND ${live}
    RETURNING ${issuedColumns}`);
}

/** The session again, if the chain moved from this very token to its successor just now. */
export async function findJustRotated(
  connection: Connection,
  { session_id, rotation }: RefreshToken,
): Promise<Issued | null> {
  return connection.maybeOne(sql.type(IssuedRow)`
    SELECT ${issuedColumns} FROM account_session, account
    WHERE account_session.id = ${session_id} AND rotation = ${rotation} + 1
      AND account_session.rotated_at > now() - interval '10 seconds' AND ${live}`);
}

const EndedRow = z.object({ id: z.string(), account_id: z.string() });

/** Ends the session if the token is one of its ancestors. */
export async function endReplayed(
  connection: Connection,
  { session_id, rotation }: RefreshToken,
): Promise<{ id: string; account_id: string } | null> {
  return connection.maybeOne(sql.type(EndedRow)`
    UPDATE account_session SET revoked_at = now()
    WHERE id = ${session_id} AND revoked_at IS NULL AND rotation > ${rotation}
    RETURNING id, account_id`);
}

export async function endSession(
  connection: Connection,
  session: { id: string; account_id: string },
): Promise<boolean> {
  const ended = await connection.maybeOne(sql.type(EndedRow)`
    UPDATE account_session SET revoked_at = now()
    WHERE id = ${session.id} AND account_id = ${session.account_id} AND revoked_at IS NULL
    RETURNING id, account_id`);
  return ended !== null;
}

// A script that signs in for every request would have rows without end.
const MOST_LIVE = 100;

/** Those used least recently beyond a hundred that live, the newest aside; its lock is held. */
export async function endSurplus(
  connection: Connection,
  newest: { id: string; account_id: string },
) {
  return connection.any(sql.type(EndedRow)`
    UPDATE account_session SET revoked_at = now() WHERE id = ANY (ARRAY(
      SELECT id FROM account_session
      WHERE account_id = ${newest.account_id} AND id <> ${newest.id}
        AND revoked_at IS NULL AND expires_at > now()
      ORDER BY rotated_at DESC, id DESC OFFSET ${MOST_LIVE - 1}))
    RETURNING id, account_id`);
}

export async function endOtherSessions(
  connection: Connection,
  accountId: string,
  keep: string | null,
): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    UPDATE account_session SET revoked_at = now()
    WHERE account_id = ${accountId} AND revoked_at IS NULL
      AND id IS DISTINCT FROM ${keep}::uuid`);
}

const ListedRow = SessionRecord.omit({ current: true });

/** Those that live, newest first, before `cursor`. */
export async function listSessions(
  connection: Connection,
  accountId: string,
  page: { limit: number; cursor: string | null },
) {
  return connection.any(sql.type(ListedRow)`
    SELECT id, created_at, rotated_at AS last_used_at, expires_at, ip, user_agent, amr
    FROM account_session
    WHERE account_id = ${accountId} AND revoked_at IS NULL AND expires_at > now()
      AND (${page.cursor}::uuid IS NULL OR id < ${page.cursor}::uuid)
    ORDER BY id DESC LIMIT ${page.limit}`);
}

/** All of an account, in the transaction of its deletion. */
export async function eraseSessions(connection: Connection, accountId: string): Promise<void> {
  await connection.query(
    sql.typeAlias('void')`DELETE FROM account_session WHERE account_id = ${accountId}`,
  );
}

export async function sweepSessions(connection: Connection): Promise<void> {
  await sweepOlder(connection, { table: 'account_session', column: 'expires_at', age: '1 day' });
}
