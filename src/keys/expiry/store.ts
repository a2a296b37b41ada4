import { z } from 'zod';
import { OWNER_ROLE } from '../../caller/system-roles.ts';
import type { DueKey } from '../store.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';

const RecipientRow = z.object({ address: z.string() });

/**
 * Returns the addresses of those who are told that a key expires: its person; for a key of an
 * organization the active member who created it, or else its owners.
 */
export function listRecipients(db: Queryable, { id, account_id, organization_id }: DueKey) {
  if (account_id !== null)
    return db.anyFirst(sql.type(RecipientRow)`
      SELECT email AS address FROM account WHERE id = ${account_id} AND status = 'active'`);
  return db.anyFirst(sql.type(RecipientRow)`
    WITH member AS (
      SELECT a.id, a.email, m.id AS membership_id FROM membership m
      JOIN account a ON a.id = m.account_id AND a.status = 'active'
      JOIN organization g ON g.id = m.organization_id AND g.deleted_at IS NULL
      WHERE m.organization_id = ${organization_id} AND m.left_at IS NULL
    ), creator AS (
      SELECT email FROM member
      WHERE member.id = (SELECT created_by FROM api_key WHERE id = ${id})
    )
    SELECT email AS address FROM creator
    UNION
    SELECT email FROM member JOIN membership_role r ON r.membership_id = member.membership_id
    WHERE NOT EXISTS (SELECT FROM creator) AND r.role_id = ${OWNER_ROLE}`);
}

const ExpiringRow = z.object({
  organization_id: z.string().nullable(),
  expires_at: z.string(),
  locale: z.string().nullable(),
});

/** Returns a live key that expires within a week, with the language of an address; null if none is. */
export function findExpiring(db: Queryable, { id, address }: { id: string; address: string }) {
  return db.maybeOne(sql.type(ExpiringRow)`
    SELECT k.organization_id, k.expires_at,
      (SELECT locale FROM account WHERE email = ${address} AND status = 'active') AS locale
    FROM api_key k LEFT JOIN organization g ON g.id = k.organization_id
    WHERE k.id = ${id} AND k.revoked_at IS NULL AND g.deleted_at IS NULL
      AND k.expires_at > now() AND k.expires_at <= now() + interval '7 days'`);
}
