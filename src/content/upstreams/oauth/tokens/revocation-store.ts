import { z } from 'zod';
import { sql } from '../../../../platform/postgres/database.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { ServerMetadata } from '../server-metadata.ts';
import { upstreamTokens } from './store.ts';

/** Tokens that wait for their revocation are encrypted as those of the authorization were. */
export const revokedTokens: typeof upstreamTokens = {
  ...upstreamTokens,
  table: 'upstream_revocation',
};

const RevocationRow = z.object({
  id: z.string(),
  upstream_id: z.string(),
  holder_id: z.string(),
  url: z.string(),
  server: ServerMetadata,
  sealed: z.instanceof(Buffer),
  attempts: z.number(),
});
export type RevocationRow = z.infer<typeof RevocationRow>;

/**
 * Takes tokens that are due to be revoked; null if none are. Unless they are deleted, they are due
 * again after a minute, then after five times as long each time.
 */
export function takeRevocation(db: Queryable): Promise<RevocationRow | null> {
  return db.maybeOne(sql.type(RevocationRow)`
    UPDATE upstream_revocation
    SET attempts = attempts + 1, due_at = now() + interval '1 minute' * power(5, attempts)
    WHERE id = (
      SELECT id FROM upstream_revocation WHERE due_at <= now()
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, upstream_id, holder_id, url, server, sealed, attempts`);
}

/** Deletes tokens that were revoked, or that no one can revoke. */
export async function forgetRevocation(db: Queryable, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`DELETE FROM upstream_revocation WHERE id = ${id}`);
}
