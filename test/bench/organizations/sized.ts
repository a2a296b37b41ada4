import { createRole } from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import { fillOrganization } from './fill.ts';
import { addMember, createOrganizationWith, noopId } from './people.ts';
import type { Measured } from './people.ts';

/** An organization with a number of members, teams and keys, and one member in one team. */
export interface Sized {
  size: number;
  id: string;
  path: string;
  owner: SignedUp;
  /** The custom role that all members have. */
  role_id: string;
  member: SignedUp;
  team_id: string;
  /** The member's key, which follows the member's teams. */
  key: { id: string; secret: string };
}

export async function createSized(on: Measured, size: number): Promise<Sized> {
  const owner = await signUp(on, on, 'owner');
  const { id, path } = await createOrganizationWith(owner, [noopId(0)]);
  const { id: role_id } = await createRole(owner, id, { name: 'Worker', capabilities: ['tools'] });
  const member = await addMember(on, owner, { id, role_id });
  const { id: team_id } = await createTeam(owner, id, 'bench');
  await seatsOf(id, team_id).add(owner, member);
  const key = await createKey(member, { org_scope: id });
  await fillOrganization(on.deployment, on.openfgaDatabaseUrl, { id, role_id }, size);
  return { ...{ size, id, path, owner, role_id, member, team_id, key } };
}
