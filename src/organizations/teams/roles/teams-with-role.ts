import type { Connection } from '../../../platform/postgres/database.ts';
import type { InvitedRole } from '../../invitations/roles/store.ts';
import { listTeamsOfInvitedRole } from '../../invitations/seats/store.ts';
import { listTeamsOfRole } from './store.ts';

/**
 * Returns the teams in which a role is held, or offered by an open invitation. A change of the role
 * applies in all of them.
 */
export async function listTeamsWithRole(
  connection: Connection,
  role: InvitedRole,
): Promise<string[]> {
  const assigned = await listTeamsOfRole(connection, role);
  return [...new Set([...assigned, ...(await listTeamsOfInvitedRole(connection, role))])];
}
