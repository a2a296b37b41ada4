import { expect } from 'vitest';
import type { World } from '../../support/worlds/world.ts';

/**
 * Reads all rows except heartbeats, flows of sign-in and of upstreams, which end with any attempt,
 * challenges, which count every attempt, the position in OpenFGA's change log with its unfenced writes,
 * uses of permissions, decisions on access, tokens that wait to be revoked in the background, and
 * `ended_credentials`, which a sweep empties: their account shows the same in `credentials_ended`.
 */
export async function readAll({ query }: Pick<World, 'query'>): Promise<Record<string, string>> {
  // E-mails and tuples of earlier requests may still be pending.
  await expect
    .poll(
      async () =>
        query(
          `SELECT id FROM mail_job WHERE finished_at IS NULL
       UNION SELECT id FROM authz_scope WHERE applied < revision`,
        ),
      { timeout: 10_000 },
    )
    .toEqual([]);
  const tables = await query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables
     WHERE schemaname = 'public' AND tablename !~ 'instance|sign_in_flow|sso_flow|upstream_oauth_flow|_challenge$|authz_deployment|authz_change_log|permission_use|access_decision|ended_credentials|upstream_revocation|authz_unfenced_write'`,
  );
  const all: Record<string, string> = {};
  for (const { name } of tables) {
    const found = await query<{ row: string }>(
      `SELECT one::text AS row FROM ${name} one ORDER BY 1`,
    );
    all[name] = found.map(({ row }) => row).join('\n');
  }
  return all;
}
