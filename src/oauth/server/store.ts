import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';

/** Identifies an artifact; the id itself, such as a code, is never stored. */
export interface ArtifactKey {
  model: string;
  id_hash: Buffer;
}

const Payload = z.record(z.string(), z.unknown());
export type Payload = z.infer<typeof Payload>;

export interface NewArtifact extends ArtifactKey {
  payload: Payload;
  /** The connection that it belongs to, with which it ends. */
  connection_id: string | null;
  /** Seconds until it expires, by database time. */
  lifetime: number;
}

/** Inserts an artifact, or replaces it; false if its connection was revoked. */
export async function saveArtifact(
  db: Queryable,
  { model, id_hash, payload, connection_id, lifetime }: NewArtifact,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    INSERT INTO oauth_artifact (model, id_hash, payload, connection_id, expires_at)
    SELECT ${model}, ${sql.binary(id_hash)}, ${JSON.stringify(payload)}::jsonb,
      ${connection_id}::uuid, now() + ${lifetime} * interval '1 second'
    WHERE ${connection_id}::uuid IS NULL OR EXISTS (
      SELECT FROM oauth_connection WHERE id = ${connection_id}::uuid AND revoked_at IS NULL)
    ON CONFLICT (model, id_hash) DO UPDATE SET payload = EXCLUDED.payload,
      expires_at = EXCLUDED.expires_at`);
  return rowCount === 1;
}

const ArtifactRow = z.object({
  payload: Payload,
  is_consumed: z.boolean(),
  /** Whole seconds until it expires, by database time. */
  remaining: z.number(),
});
export type ArtifactRow = z.infer<typeof ArtifactRow>;

/** Returns an artifact that has not expired and whose connection was not revoked. */
export async function findArtifact(
  db: Queryable,
  { model, id_hash }: ArtifactKey,
): Promise<ArtifactRow | null> {
  return db.maybeOne(sql.type(ArtifactRow)`
    SELECT a.payload, a.consumed_at IS NOT NULL AS is_consumed,
      ceil(extract(epoch FROM a.expires_at - now()))::bigint AS remaining
    FROM oauth_artifact a LEFT JOIN oauth_connection c ON c.id = a.connection_id
    WHERE a.model = ${model} AND a.id_hash = ${sql.binary(id_hash)} AND a.expires_at > now()
      AND (a.connection_id IS NULL OR (c.id IS NOT NULL AND c.revoked_at IS NULL))`);
}

/** Consumes an artifact; of concurrent calls, only one returns true. */
export async function consumeArtifact(
  db: Queryable,
  { model, id_hash }: ArtifactKey,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE oauth_artifact SET consumed_at = now()
    WHERE model = ${model} AND id_hash = ${sql.binary(id_hash)} AND consumed_at IS NULL
      AND expires_at > now()`);
  return rowCount === 1;
}

const REFRESH_TOKEN = 'RefreshToken';
/** Lifetime of a refresh token; each use of it gives the next one as much. */
export const REFRESH_SECONDS = 30 * 86_400;

/** Consumes a refresh token and saves its successor; of concurrent calls, only one returns true. */
export async function rotateRefreshToken(
  db: Queryable,
  { id_hash, successor }: { id_hash: Buffer; successor: Buffer },
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    WITH used AS (
      UPDATE oauth_artifact SET consumed_at = now()
      WHERE model = ${REFRESH_TOKEN} AND id_hash = ${sql.binary(id_hash)} AND consumed_at IS NULL
        AND expires_at > now()
      RETURNING model, payload, connection_id)
    INSERT INTO oauth_artifact (model, id_hash, payload, connection_id, expires_at)
    SELECT model, ${sql.binary(successor)}, payload, connection_id,
      now() + ${REFRESH_SECONDS} * interval '1 second'
    FROM used`);
  return rowCount === 1;
}

/**
 * Returns the hash among `successors` that replaced a refresh token whose first use is at most
 * `leewaySeconds` ago; null if it was used itself.
 */
export async function findUnusedSuccessor(
  db: Queryable,
  query: { id_hash: Buffer; successors: readonly Buffer[]; leewaySeconds: number },
): Promise<Buffer | null> {
  const hashes = sql.join(query.successors.map(sql.binary), sql.fragment`, `);
  return db.maybeOneFirst(sql.type(z.object({ id_hash: z.instanceof(Buffer) }))`
    SELECT successor.id_hash
    FROM oauth_artifact used
    JOIN oauth_artifact successor USING (model, connection_id)
    WHERE model = ${REFRESH_TOKEN} AND used.id_hash = ${sql.binary(query.id_hash)}
      AND used.consumed_at > now() - ${query.leewaySeconds} * interval '1 second'
      AND successor.id_hash IN (${hashes}) AND successor.consumed_at IS NULL
      AND successor.expires_at > now()`);
}

/** Deletes an artifact; of concurrent calls, only one returns true. */
export async function deleteArtifact(
  db: Queryable,
  { model, id_hash }: ArtifactKey,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    DELETE FROM oauth_artifact WHERE model = ${model} AND id_hash = ${sql.binary(id_hash)}`);
  return rowCount === 1;
}

/** Adds the result to an interaction; false if it has one, or has expired. */
export async function decideInteraction(
  db: Queryable,
  { model, id_hash }: ArtifactKey,
  result: Payload,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE oauth_artifact SET payload = payload || ${JSON.stringify({ result })}::jsonb
    WHERE model = ${model} AND id_hash = ${sql.binary(id_hash)} AND NOT payload ? 'result'
      AND expires_at > now()`);
  return rowCount === 1;
}

/** Returns database time in whole Unix seconds. */
export const readNow = (db: Queryable): Promise<number> =>
  db.oneFirst(sql.type(z.object({ now: z.number() }))`
    SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS now`);

/** Deletes expired artifacts. A consumed one is kept until then: using it again is theft. */
export const sweepArtifacts = (db: Queryable): Promise<void> =>
  sweepOlder(db, { table: 'oauth_artifact', column: 'expires_at', age: '1 hour' });
