import { z } from 'zod';
import { OWNER_ROLE } from '../../organizations/organizations.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';

const EnforcedRow = z.object({ enforced: z.boolean() });

/** Returns whether enforcement is switched on, whatever the plan. */
export async function isEnforced(db: Queryable, organization_id: string): Promise<boolean> {
  const enforced = await db.maybeOneFirst(sql.type(EnforcedRow)`
    SELECT enforced FROM sso_settings WHERE organization_id = ${organization_id}`);
  return enforced === true;
}

export async function setEnforced(
  transaction: Transaction,
  organization_id: string,
  enforced: boolean,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO sso_settings (organization_id, enforced) VALUES (${organization_id}, ${enforced})
    ON CONFLICT (organization_id) DO UPDATE SET enforced = excluded.enforced`);
}

/**
 * Selects the members who must sign in through SSO: those of organizations that enforce it, with an
 * address in a domain that the same organization has verified, except its Owner. Below the Enterprise
 * plan enforcement rests.
 */
const boundMembers = sql.fragment`
  sso_settings s
  JOIN organization o ON o.id = s.organization_id AND o.deleted_at IS NULL
    AND o.plan = 'enterprise'
  JOIN membership m ON m.organization_id = o.id AND m.left_at IS NULL
  JOIN account a ON a.id = m.account_id
  JOIN sso_domain d ON d.organization_id = o.id AND d.verified_at IS NOT NULL
    AND d.domain = split_part(a.email, '@', 2)
  WHERE s.enforced AND NOT EXISTS (SELECT FROM membership_role r
    WHERE r.membership_id = m.id AND r.role_id = ${OWNER_ROLE})`;

/**
 * Returns whether the person must sign in through an organization's identity provider; `except` is
 * the organization through whose provider they do.
 */
export function requiresSso(
  db: Queryable,
  account_id: string,
  except: string | null = null,
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM ${boundMembers} AND m.account_id = ${account_id}
      AND o.id IS DISTINCT FROM ${except}::uuid`);
}

const AccountRow = z.object({ account_id: z.string() });

/** Returns the members of an organization who must sign in through SSO. */
export function listBoundMembers(
  db: Queryable,
  organization_id: string,
): Promise<readonly string[]> {
  return db.anyFirst(sql.type(AccountRow)`
    SELECT m.account_id FROM ${boundMembers} AND o.id = ${organization_id}`);
}

/** Returns the account of an organization's Owner. */
export function findOwner(db: Queryable, organization_id: string): Promise<string | null> {
  return db.maybeOneFirst(sql.type(AccountRow)`
    SELECT m.account_id FROM membership_role r JOIN membership m ON m.id = r.membership_id
    WHERE r.organization_id = ${organization_id} AND r.role_id = ${OWNER_ROLE}`);
}

const DiscoveredRow = z.object({ connection_id: z.string(), required: z.boolean() });

/** Returns the connection to sign in with for addresses of a domain; null if there is none. */
export function findConnectionOfDomain(db: Queryable, domain: string) {
  return db.maybeOne(sql.type(DiscoveredRow)`
    SELECT c.id AS connection_id,
      coalesce(s.enforced, false) AND o.plan = 'enterprise' AS required
    FROM sso_domain d
    JOIN organization o ON o.id = d.organization_id AND o.deleted_at IS NULL
    JOIN sso_connection c ON c.organization_id = o.id
    LEFT JOIN sso_settings s ON s.organization_id = o.id
    WHERE d.domain = ${domain} AND d.verified_at IS NOT NULL
    ORDER BY c.id LIMIT 1`);
}
