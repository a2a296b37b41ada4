import type { TeamRoleRecord } from '../../../src/organizations/roles/schema.ts';
import type { TeamRecord } from '../../../src/organizations/teams/schema.ts';
import type { SeatRecord } from '../../../src/organizations/teams/seats/schema.ts';
import { askAs, createJoins, createOrganization, MEMBER } from './organizations.ts';
import { oneAddress, signUp } from './people.ts';
import type { SignedUp } from './people.ts';
import { createWorld } from '../worlds/world.ts';
import type { Gateway, World } from '../worlds/world.ts';

/** The id of the system's team role, as clients see it. */
export const TEAM_ADMIN = '00000000-0000-8000-8000-000000000004';

export async function createTeam(
  who: SignedUp,
  organization_id: string,
  name: string,
): Promise<TeamRecord> {
  const created = await askAs<TeamRecord>(who, {
    path: `/api/organizations/${organization_id}/teams`,
    body: { name },
  });
  if (created.status !== 201) throw new Error(`team: ${JSON.stringify(created.body)}`);
  return created.body;
}

/** Creates a team role at a path: an organization's `team-roles` or a team's `roles`. */
export async function createTeamRole(
  who: SignedUp,
  path: string,
  draft: { name: string; permissions?: string[]; capabilities?: string[] },
): Promise<TeamRoleRecord> {
  const created = await askAs<TeamRoleRecord>(who, { path, body: draft });
  if (created.status !== 201) throw new Error(`team role: ${JSON.stringify(created.body)}`);
  return created.body;
}

/** Creates the requests for the members of one team. */
export function seatsOf(organization_id: string, team_id: string) {
  const path = `/api/organizations/${organization_id}/teams/${team_id}`;
  const seat = ({ account_id }: Pick<SignedUp, 'account_id'>) => `${path}/members/${account_id}`;
  return {
    path,
    seat,
    add: (who: SignedUp, { account_id }: SignedUp, role_ids: string[] = []) =>
      askAs<SeatRecord>(who, { path: `${path}/members`, body: { account_id, role_ids } }),
    setRoles: (who: SignedUp, target: SignedUp, role_ids: string[]) =>
      askAs<SeatRecord>(who, { method: 'PATCH', path: seat(target), body: { role_ids } }),
    remove: (who: SignedUp, target: SignedUp) =>
      askAs(who, { method: 'DELETE', path: seat(target) }),
    list: (who: SignedUp, query = '') =>
      askAs<{ data: SeatRecord[]; next_cursor: string | null }>(who, {
        path: `${path}/members${query}`,
      }),
  };
}

/** Two drafts of team roles. */
export const manager = {
  name: 'Manager',
  permissions: [
    'can_create_team_members',
    'can_update_team_members',
    'can_delete_team_members',
    'can_create_team_roles',
    'can_update_team_roles',
    'can_delete_team_roles',
  ],
};
export const reader = { name: 'Reader', permissions: ['can_view_team_members'] };

/** Creates a team with a manager whose role is available in all teams. */
export async function createManagedTeam(teams: TeamsWorld) {
  const created = await teams.organization();
  const { id, owner } = created;
  const shared = `/api/organizations/${id}/team-roles`;
  const managing = await createTeamRole(owner, shared, manager);
  const mia = await teams.join(id, 'mia');
  await created.add(owner, mia, [managing.id]);
  return { ...created, shared, own: `${created.path}/roles`, managing, mia };
}

/** Creates organizations with teams, and people who join them, on a gateway. */
export function teamsOn(
  world: World,
  gateway: Gateway,
  joins: Pick<Awaited<ReturnType<typeof createJoins>>, 'add'>,
) {
  return {
    /** Signs up a person and makes them a member. */
    async join(organization_id: string, name?: string, role_ids: string[] = [MEMBER]) {
      const person = await signUp(world, gateway, name);
      await joins.add(organization_id, person, role_ids);
      return person;
    },
    /** Creates an organization, and a team in which its Owner is team_admin. */
    async organization(name = 'red') {
      const owner = await signUp(world, gateway, 'owner');
      const { id } = await createOrganization(owner);
      const team = await createTeam(owner, id, name);
      return { id, owner, team, ...seatsOf(id, team.id) };
    },
  };
}

/** Starts a world of two gateways, where people join organizations without an invitation. */
export async function createTeamsWorld(env: Record<string, string> = {}) {
  const world = await createWorld({ ...oneAddress, ...env });
  const gateway: Gateway = await world.gateway();
  const otherGateway: Gateway = await world.gateway();
  const joins = await createJoins(gateway);

  return {
    ...{ world, gateway, otherGateway, joins },
    ...teamsOn(world, gateway, joins),
    async close() {
      await joins.close();
      await world.close();
    },
  };
}
export type TeamsWorld = Awaited<ReturnType<typeof createTeamsWorld>>;
