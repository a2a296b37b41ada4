import { z } from 'zod';
import type { SessionPrincipal } from '../../caller/principal.ts';
import { accountColumns, membershipOf, principalOf } from '../../credentials/credentials.ts';
import type { PrincipalRow } from '../../credentials/credentials.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Database } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import { addedSince } from '../added-since.ts';
import type { AddedSince } from '../added-since.ts';
import { SessionRecord } from './schema.ts';
import type { RefreshToken } from './tokens.ts';

/** A live session of an active account, as read from the primary. */
export interface LiveSession {
  principal: SessionPrincipal;
  /** Database time of the read, in whole Unix seconds. */
  now: number;
}

type SessionRow = PrincipalRow<SessionPrincipal> & Omit<LiveSession, 'principal'> & { key: string };

// Session, account and authority in one statement, so that an ended session is rejected at once.
const SESSIONS_QUERY = {
  name: 'sessions',
  text: `
    SELECT requested.key, 'session' AS kind, o.id, ${accountColumns}, ${membershipOf('requested.organization_id')} AS membership,
      coalesce(a.email, '') AS email, o.auth_time,
      floor(extract(epoch FROM now()))::bigint AS now
    FROM unnest($1::text[], $2::uuid[], $3::uuid[]) AS requested (key, session_id, organization_id)
    JOIN account_session o ON o.id = requested.session_id
    JOIN account a ON a.id = o.account_id
    JOIN authz_scope s ON s.kind = 'account' AND s.id = a.id
    WHERE o.revoked_at IS NULL AND o.expires_at > now() AND a.status = 'active'`,
};

/** A session, and the organization that the request names. */
export interface SessionQuery {
  session_id: string;
  organization_id: string | null;
}

export const queryKey = ({ session_id, organization_id }: SessionQuery): string =>
  organization_id === null ? session_id : `${session_id} ${organization_id}`;

/** Reads live sessions of active accounts by `queryKey`, with one prepared statement. */
export async function readSessions(
  hot: Database['authPool'],
  keys: readonly string[],
): Promise<ReadonlyMap<string, LiveSession>> {
  const ids = keys.map((key) => key.split(' '));
  const { rows } = await hot.query<SessionRow>({
    ...SESSIONS_QUERY,
    values: [keys, ids.map(([id]) => id), ids.map(([, organization_id]) => organization_id)],
  });
  return new Map(
    rows.map(({ key, kind, id, now, ...row }) => [
      key,
      { principal: principalOf({ kind, id }, row), now },
    ]),
  );
}

const IssuedRow = z.object({
  id: z.string(),
  account_id: z.string(),
  /** The connection of single sign-on that it was opened through. */
  sso_connection_id: z.string().nullable(),
  /** Database time in Unix seconds. */
  issued_at: z.number(),
  /** Seconds until the session expires. */
  remaining_seconds: z.number(),
  /** The number of the current refresh token. */
  rotation: z.number(),
});
export type IssuedSession = z.infer<typeof IssuedRow>;

const issuedColumns = sql.fragment`
  account_session.id, account_session.account_id, account_session.sso_connection_id,
  account_session.rotation,
  floor(extract(epoch FROM now()))::bigint AS issued_at,
  ceil(extract(epoch FROM account_session.expires_at - now()))::bigint AS remaining_seconds`;

export interface NewSession {
  id: string;
  account_id: string;
  /** The account's counter when the proof was verified; see `invalidateProofs`. */
  sessions_ended: number;
  amr: readonly string[];
  sso_connection_id: string | null;
  /** When the method of the sign-in was added; null: not known, or not one that is added. */
  method_since: string | null;
  ip: string;
  user_agent: string | null;
}

/**
 * Inserts a session; null if all sessions ended since the proof, or the account is not active.
 * Ending all sessions concurrently waits for the lock and then ends this one too.
 */
export async function insertSession(
  db: Queryable,
  session: NewSession,
): Promise<IssuedSession | null> {
  return db.maybeOne(sql.type(IssuedRow)`
    INSERT INTO account_session (id, account_id, amr, sso_connection_id, method_since,
      ip, user_agent, expires_at)
    SELECT ${session.id}, account.id, ${sql.array(session.amr, 'text')},
      ${session.sso_connection_id}::uuid, ${session.method_since}::timestamptz,
      ${session.ip}, ${session.user_agent}, now() + interval '30 days'
    FROM account
    WHERE account.id = ${session.account_id} AND account.status = 'active'
      AND account.sessions_ended = ${session.sessions_ended}
    FOR NO KEY UPDATE
    RETURNING ${issuedColumns}`);
}

const isLive = sql.fragment`
  account_session.revoked_at IS NULL AND account_session.expires_at > now()
  AND account.id = account_session.account_id AND account.status = 'active'`;

/** Advances the refresh token by compare-and-set: of concurrent uses of one token, one succeeds. */
export async function rotate(
  db: Queryable,
  { session_id, rotation }: RefreshToken,
): Promise<IssuedSession | null> {
  return db.maybeOne(sql.type(IssuedRow)`
    UPDATE account_session SET rotation = rotation + 1, rotated_at = now()
    FROM account
    WHERE account_session.id = ${session_id} AND rotation = ${rotation} AND ${isLive}
    RETURNING ${issuedColumns}`);
}

/** Returns the session if exactly this token was replaced within the last ten seconds. */
export async function findJustRotated(
  db: Queryable,
  { session_id, rotation }: RefreshToken,
): Promise<IssuedSession | null> {
  return db.maybeOne(sql.type(IssuedRow)`
    SELECT ${issuedColumns} FROM account_session, account
    WHERE account_session.id = ${session_id} AND rotation = ${rotation} + 1
      AND account_session.rotated_at > now() - interval '10 seconds' AND ${isLive}`);
}

const EndedRow = z.object({ id: z.string(), account_id: z.string() });

/** Ends the session if the token is older than its current one. */
export async function endReplayed(
  db: Queryable,
  { session_id, rotation }: RefreshToken,
): Promise<{ id: string; account_id: string } | null> {
  return db.maybeOne(sql.type(EndedRow)`
    UPDATE account_session SET revoked_at = now()
    WHERE id = ${session_id} AND revoked_at IS NULL AND rotation > ${rotation}
    RETURNING id, account_id`);
}

export async function endSession(
  db: Queryable,
  session: { id: string; account_id: string },
): Promise<boolean> {
  const ended = await db.maybeOne(sql.type(EndedRow)`
    UPDATE account_session SET revoked_at = now()
    WHERE id = ${session.id} AND account_id = ${session.account_id} AND revoked_at IS NULL
    RETURNING id, account_id`);
  return ended !== null;
}

// Limits the rows that a script can create by signing in for every request.
const MAX_LIVE_SESSIONS = 100;

/** Ends the least recently used live sessions beyond 100, but never the one just inserted. */
export async function endSurplus(db: Queryable, newest: { id: string; account_id: string }) {
  return db.any(sql.type(EndedRow)`
    UPDATE account_session SET revoked_at = now() WHERE id = ANY (ARRAY(
      SELECT id FROM account_session
      WHERE account_id = ${newest.account_id} AND id <> ${newest.id}
        AND revoked_at IS NULL AND expires_at > now()
      ORDER BY rotated_at DESC, id DESC OFFSET ${MAX_LIVE_SESSIONS - 1}))
    RETURNING id, account_id`);
}

/** Locks accounts in the order of their ids, so that transactions that lock several do not deadlock. */
export async function lockAccounts(transaction: Queryable, ids: readonly string[]): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    SELECT FROM account WHERE id = ANY(${sql.array([...ids], 'uuid')})
    ORDER BY id FOR NO KEY UPDATE`);
}

/** Ends the sessions of these accounts except one. */
export async function endOtherSessions(
  db: Queryable,
  accountIds: readonly string[],
  exceptId: string | null,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE account_session SET revoked_at = now()
    WHERE account_id = ANY(${sql.array([...accountIds], 'uuid')}) AND revoked_at IS NULL
      AND id IS DISTINCT FROM ${exceptId}::uuid`);
}

/** Ends the sessions that were opened to each account at or after `since`, and returns them. */
export function endSessionsOpenedSince(db: Queryable, added: readonly AddedSince[]) {
  return db.any(sql.type(EndedRow)`
    UPDATE account_session o SET revoked_at = now() FROM ${addedSince(added)}
    WHERE o.account_id = added.account_id AND o.created_at >= added.since
      AND o.revoked_at IS NULL
    RETURNING o.id, o.account_id`);
}

const ListedRow = SessionRecord.omit({ current: true });

/** Lists live sessions, newest first, with ids before `cursor`. */
export async function listSessions(
  db: Queryable,
  accountId: string,
  page: { limit: number; cursor: string | null },
) {
  return db.any(sql.type(ListedRow)`
    SELECT id, created_at, rotated_at AS last_used_at, expires_at, ip, user_agent, amr
    FROM account_session
    WHERE account_id = ${accountId} AND revoked_at IS NULL AND expires_at > now()
      AND (${page.cursor}::uuid IS NULL OR id < ${page.cursor}::uuid)
    ORDER BY id DESC LIMIT ${page.limit}`);
}

/** Deletes all sessions of an account, in the transaction of its deletion. */
export async function eraseSessions(db: Queryable, accountId: string): Promise<void> {
  await db.query(
    sql.typeAlias('void')`DELETE FROM account_session WHERE account_id = ${accountId}`,
  );
}

export async function sweepSessions(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'account_session', column: 'expires_at', age: '1 day' });
}
