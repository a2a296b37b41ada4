import { z } from 'zod';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import type { EncryptedColumn } from '../platform/postgres/reencrypt.ts';
import { sweepOlder } from '../platform/postgres/sweep.ts';

/** The stored form of a response: JSON without its secrets, and the same with them, encrypted. */
export interface StoredContent {
  content: string;
  /** Null if it has no secrets. */
  sealed: Buffer | null;
}

/** One attempt at a request. */
export interface Claim {
  /** Identifies the caller, the route with its parameters, and the key. */
  id: string;
  /** Identifies the attempt. */
  claim: string;
}

export const sealedRequests: EncryptedColumn<'id'> = {
  table: 'idempotent_request',
  column: 'sealed',
  key: [['id', 'text']],
  bound: [],
  ownerOf: ({ id }) => id,
  label: 'idempotent-request',
};

/** Owner of a request: one of both is null. */
export interface RequestOwner {
  account_id: string | null;
  organization_id: string | null;
}

/** Maximum number and size of the requests that are kept of an owner. */
export const MAX_KEPT = { requests: 1_000, bytes: 50_000_000 };

const ownedBy = ({ account_id, organization_id }: RequestOwner) =>
  account_id === null
    ? sql.fragment`organization_id = ${organization_id}`
    : sql.fragment`account_id = ${account_id}`;

/** Selects how much is kept, besides the request itself. Lengths are known without the texts. */
const keptOf = ({ id, ...owner }: { id: string } & RequestOwner) => sql.fragment`
  SELECT count(*) AS requests, min(created_at) AS oldest,
    coalesce(sum(octet_length(content) + coalesce(octet_length(sealed), 0)), 0) AS bytes
  FROM idempotent_request
  WHERE ${ownedBy(owner)} AND id <> ${id} AND created_at > now() - interval '24 hours'`;

/**
 * Claims a request that is new, that expired, or whose gateway seems to have died before the commit.
 * Returns false if another attempt has committed it or is running, or if too much is kept already.
 */
export async function claimRequest(
  db: Queryable,
  request: Claim & RequestOwner & { credential: string; body_hash: Buffer; seconds: number },
): Promise<boolean> {
  const { id, claim, account_id, organization_id, credential, body_hash, seconds } = request;
  const { rowCount } = await db.query(sql.typeAlias('void')`
    INSERT INTO idempotent_request AS r
      (id, account_id, organization_id, credential, body_hash, claim, claimed_until)
    SELECT ${id}, ${account_id}::uuid, ${organization_id}::uuid, ${credential},
      ${sql.binary(body_hash)}, ${claim}::uuid, now() + make_interval(secs => ${seconds})
    FROM (${keptOf(request)}) AS kept
    WHERE requests < ${MAX_KEPT.requests} AND bytes < ${MAX_KEPT.bytes}
    ON CONFLICT (id) DO UPDATE SET
      credential = excluded.credential, body_hash = excluded.body_hash, claim = excluded.claim,
      claimed_until = excluded.claimed_until, created_at = now(),
      committed_at = NULL, answered = false, content = NULL, sealed = NULL
    WHERE (r.committed_at IS NULL AND r.claimed_until < now())
      OR r.created_at < now() - interval '24 hours'`);
  return rowCount === 1;
}

/** Returns in how many seconds the oldest request is forgotten; null if there is room for another. */
export async function secondsUntilRoom(
  db: Queryable,
  request: { id: string } & RequestOwner,
): Promise<number | null> {
  const row = await db.maybeOne(sql.type(z.object({ seconds: z.number() }))`
    SELECT ceil(extract(epoch FROM oldest + interval '24 hours' - now()))::int AS seconds
    FROM (${keptOf(request)}) AS kept
    WHERE requests >= ${MAX_KEPT.requests} OR bytes >= ${MAX_KEPT.bytes}`);
  return row?.seconds ?? null;
}

const RequestRow = z.object({
  credential: z.string(),
  body_hash: z.instanceof(Buffer),
  /** Null if the creation is not committed. */
  content: z.string().nullable(),
  sealed: z.instanceof(Buffer).nullable(),
});
export type RequestRow = z.infer<typeof RequestRow>;

/** Returns what is known of a request; its secrets for an hour only. */
export function findRequest(db: Queryable, id: string): Promise<RequestRow | null> {
  return db.maybeOne(sql.type(RequestRow)`
    SELECT credential, body_hash, content,
      CASE WHEN committed_at > now() - interval '1 hour' THEN sealed END AS sealed
    FROM idempotent_request WHERE id = ${id}`);
}

/**
 * Stores what a creation saved; call it in its transaction. Returns false if another attempt has
 * taken over in the meantime: then the transaction must not commit.
 */
export async function commitRequest(
  db: Queryable,
  { id, claim }: Claim,
  { content, sealed }: StoredContent,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE idempotent_request
    SET committed_at = now(), content = ${content}, sealed = ${sealed && sql.binary(sealed)}
    WHERE id = ${id} AND claim = ${claim} AND committed_at IS NULL`);
  return rowCount === 1;
}

/** Stores the first response to a committed request. */
export async function answerRequest(
  db: Queryable,
  id: string,
  { content, sealed }: StoredContent,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE idempotent_request
    SET answered = true, content = ${content}, sealed = ${sealed && sql.binary(sealed)}
    WHERE id = ${id} AND committed_at IS NOT NULL AND NOT answered`);
}

/** Forgets an attempt that created nothing. */
export async function releaseRequest(db: Queryable, { id, claim }: Claim): Promise<void> {
  await db.query(sql.typeAlias('void')`
    DELETE FROM idempotent_request
    WHERE id = ${id} AND claim = ${claim} AND committed_at IS NULL`);
}

const BATCH = 1_000;

/** Deletes secrets after an hour, and requests after a day. */
export async function sweepRequests(db: Queryable): Promise<void> {
  for (;;) {
    const { rowCount } = await db.query(sql.typeAlias('void')`
      UPDATE idempotent_request SET sealed = NULL WHERE id = ANY (ARRAY(
        SELECT id FROM idempotent_request
        WHERE sealed IS NOT NULL AND committed_at < now() - interval '1 hour'
        ORDER BY committed_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`);
    if (rowCount < BATCH) break;
  }
  await sweepOlder(db, {
    table: 'idempotent_request',
    column: 'created_at',
    age: '24 hours',
    // A row can have megabytes.
    batch: 50,
  });
}
