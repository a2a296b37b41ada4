import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';

export type OwnKind = 'key' | 'connection';

const OwnRow = z.object({
  kind: z.enum(['key', 'connection']),
  id: z.string(),
  name: z.string().nullable(),
  /** The organization that it works in; null for the person's account. */
  organization_id: z.string().nullable(),
  last_used_at: z.string().nullable(),
});

/** Returns a person's live credential; null if the person has none with this id. */
export const findOwnCredential = (
  db: Queryable,
  { account_id, id, kind }: { account_id: string; id: string; kind: OwnKind },
) =>
  db.maybeOne(sql.type(OwnRow)`
    SELECT * FROM (
      SELECT 'key' AS kind, k.id, k.name, k.org_scope AS organization_id, k.last_used_at
      FROM api_key k
      WHERE k.account_id = ${account_id} AND k.id = ${id} AND k.revoked_at IS NULL
      UNION ALL
      SELECT 'connection', c.id, l.name, c.organization_id, c.last_used_at
      FROM oauth_connection c JOIN oauth_client l ON l.id = c.client_id
      WHERE c.account_id = ${account_id} AND c.id = ${id} AND c.revoked_at IS NULL
        AND c.activated_at IS NOT NULL
    ) AS own WHERE kind = ${kind}`);
