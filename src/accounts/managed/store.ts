import { OWNER_ROLE } from '../../caller/system-roles.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';

/**
 * Whether the organization of a membership manages its person's account while they are a member: it
 * created the account, and the person is not its Owner. A connection that an Admin configured cannot
 * sign in to the Owner's account, so the Owner must be able to set a password. Takes the names that
 * the rows have in the query.
 */
export const isManagedThrough = ({
  membership,
  account,
}: Record<'membership' | 'account', string>) =>
  sql.fragment`(
    ${sql.identifier([account, 'managed_by'])} IS NOT DISTINCT FROM
      ${sql.identifier([membership, 'organization_id'])}
    AND NOT EXISTS (SELECT FROM membership_role
      WHERE membership_id = ${sql.identifier([membership, 'id'])} AND role_id = ${OWNER_ROLE}))`;

/** Whether `account` belongs to the organization that created it, of which the person is a member. */
const isManaged = sql.fragment`EXISTS (
  SELECT FROM organization JOIN membership ON membership.organization_id = organization.id
  WHERE organization.id = account.managed_by AND organization.deleted_at IS NULL
    AND membership.account_id = account.id AND membership.left_at IS NULL
    AND ${isManagedThrough({ membership: 'membership', account: 'account' })})`;

/**
 * Whether a link may set the password of `account`: it has one, or no organization manages it and it
 * has no way to sign in that works without an organization.
 */
export const mayReset = sql.fragment`(
  account.status = 'active' AND NOT ${isManaged} AND (account.password_hash IS NOT NULL
    OR NOT EXISTS (SELECT FROM account_identity
      WHERE account_id = account.id AND sso_connection_id IS NULL)
      AND NOT EXISTS (SELECT FROM account_passkey WHERE account_id = account.id)))`;

/** Returns whether the account belongs to an organization, which alone may end or rename it. */
export function isManagedAccount(db: Queryable, id: string): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM account WHERE id = ${id} AND ${isManaged}`);
}
