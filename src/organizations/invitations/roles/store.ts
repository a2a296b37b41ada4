import { z } from 'zod';
import { sql } from '../../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { heldRoles } from '../../rows.ts';
import type { RoleKey } from '../../roles/store.ts';

/** The roles of `organization_invitation i`, as `HeldRoleRow`s. */
export const rolesColumn = sql.fragment`${heldRoles(sql.fragment`
  organization_invitation_role r LEFT JOIN organization_role c ON c.id = r.custom_role_id
  WHERE r.invitation_id = i.id`)} AS roles`;

export async function insertInvitedRoles(
  transaction: Transaction,
  invitation: { id: string; organization_id: string },
  role_ids: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO organization_invitation_role (organization_id, invitation_id, role_id)
    SELECT ${invitation.organization_id}, ${invitation.id}, role_id
    FROM unnest(${sql.array([...role_ids], 'uuid')}) AS role_id`);
}

const CountRow = z.object({ count: z.number() });

/** Returns how many open invitations name a role. */
export function countInvitationsToRole(db: Queryable, role: RoleKey): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(*) FROM organization_invitation_role r
    JOIN organization_invitation i ON i.id = r.invitation_id
    WHERE r.organization_id = ${role.organization_id} AND r.role_id = ${role.id}
      AND i.status = 'pending' AND i.expires_at > now()`);
}

/** Replaces a role with another one in all invitations; with `to` null, removes it. */
export async function moveInvitedRoles(
  transaction: Transaction,
  role: RoleKey,
  to: string | null,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO organization_invitation_role (organization_id, invitation_id, role_id)
    SELECT organization_id, invitation_id, ${to}::uuid FROM organization_invitation_role
    WHERE organization_id = ${role.organization_id} AND role_id = ${role.id}
      AND ${to}::uuid IS NOT NULL
    ON CONFLICT DO NOTHING`);
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM organization_invitation_role
    WHERE organization_id = ${role.organization_id} AND role_id = ${role.id}`);
}
