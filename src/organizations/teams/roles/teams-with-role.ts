import type { Connection } from '../../../platform/postgres/database.ts';
import type { InvitedRole } from '../../invitations/roles/store.ts';
import { listTeamsOfGivenRole } from '../../join-grants/store.ts';
import { listTeamsOfInvitedRole } from '../../invitations/seats/store.ts';
import { listTeamsOfRole } from './store.ts';

/**
 * Returns the teams in which a role is held, or given by an open invitation or single sign-on. A
 * change of the role applies in all of them.
 */
export async function listTeamsWithRole(
  connection: Connection,
  role: InvitedRole,
): Promise<string[]> {
  return [
    ...new Set([
      ...(await listTeamsOfRole(connection, role)),
      ...(await listTeamsOfInvitedRole(connection, role)),
      ...(await listTeamsOfGivenRole(connection, role)),
    ]),
  ];
}
