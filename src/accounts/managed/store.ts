import { sql } from '../../platform/postgres/database.ts';
import type { Connection } from '../../platform/postgres/database.ts';

/** Whether `account` belongs to the organization that created it, of which the person is a member. */
const isManaged = sql.fragment`EXISTS (
  SELECT FROM organization JOIN membership ON membership.organization_id = organization.id
  WHERE organization.id = account.managed_by AND organization.deleted_at IS NULL
    AND membership.account_id = account.id AND membership.left_at IS NULL)`;

/**
 * Whether a link may set the password of `account`: it has one, or its organization has let it go
 * and it has no other way to sign in.
 */
export const mayReset = sql.fragment`(
  account.status = 'active' AND NOT ${isManaged} AND (account.password_hash IS NOT NULL
    OR NOT EXISTS (SELECT FROM account_identity WHERE account_id = account.id)
      AND NOT EXISTS (SELECT FROM account_passkey WHERE account_id = account.id)))`;

/** Returns whether the account belongs to an organization, which alone may end or rename it. */
export function isManagedAccount(connection: Connection, id: string): Promise<boolean> {
  return connection.exists(sql.typeAlias('void')`
    SELECT FROM account WHERE id = ${id} AND ${isManaged}`);
}
