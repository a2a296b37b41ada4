import type { Answer, SendRequest, SignedUp } from '../../support/people/people.ts';
import { signUp } from '../../support/people/people.ts';
import { askAs, at, createRole } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { createTeamRole } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';

const giverPermissions = [
  'can_view_organization',
  ...['create', 'update', 'delete'].map((verb) => `can_${verb}_organization_roles`),
  ...['update', 'delete'].map((verb) => `can_${verb}_organization_team_roles`),
  'can_invite_organization_members',
  'can_update_organization_members',
  'can_create_organization_api_keys',
  'can_update_organization_api_keys',
];
const giverTeamPermissions = [
  'can_create_team_members',
  'can_update_team_members',
  'can_create_team_roles',
  'can_update_team_roles',
  'can_delete_team_roles',
];
/** What the giver loses: a permission and a capability in the organization, and one in the team. */
export const GIVEN = { permissions: ['can_view_organization_usage'], capabilities: ['tools'] };
export const GIVEN_IN_TEAM = { permissions: ['can_view_team_usage'] };

/**
 * Creates a member on the second gateway with two roles, in an organization and in a team: one that
 * allows the requests under test, and one whose permissions these requests grant.
 */
export async function createGiver(teams: TeamsWorld) {
  const made = await teams.organization();
  const { id, owner, path: teamPath, add, setRoles: setSeatRoles } = made;
  const path = `/api/organizations/${id}`;
  const roleOf = (name: string, content: object = {}) =>
    createRole(owner, id, { name, ...content });
  const teamRoleOf = (name: string, content: object = {}, rolesPath = `${teamPath}/roles`) =>
    createTeamRole(owner, rolesPath, { name, ...content });
  const acting = await roleOf('Doing', { permissions: giverPermissions });
  const actingInTeam = await teamRoleOf('Doing', { permissions: giverTeamPermissions });
  const roles = {
    held: await roleOf('Given', GIVEN),
    capable: await roleOf('Capable', { capabilities: GIVEN.capabilities }),
    empty: await roleOf('Empty'),
    heldInTeam: await teamRoleOf('Given', GIVEN_IN_TEAM),
    emptyInTeam: await teamRoleOf('Empty'),
  };
  const member = await teams.join(id, 'member', [roles.empty.id]);
  const giver = await teams.join(id, 'giver', [acting.id, roles.held.id]);
  const guest = await signUp(teams.world, teams.gateway, 'guest');
  await add(owner, giver, [actingInTeam.id, roles.heldInTeam.id]);
  await add(owner, member, [roles.emptyInTeam.id]);
  return {
    ...{ ...made, ...roles, path, teamPath, member, guest, teamRoleOf },
    world: teams.world,
    giver: at(giver, teams.otherGateway),
    atGiver: (who: SignedUp) => at(who, teams.otherGateway),
    demote: () =>
      askAs(owner, {
        method: 'PATCH',
        path: `${path}/members/${giver.account_id}`,
        body: { role_ids: [acting.id] },
      }),
    demoteInTeam: () => setSeatRoles(owner, giver, [actingInTeam.id]),
  };
}
export type Giver = Awaited<ReturnType<typeof createGiver>>;
export type SendGrant = () => Promise<Answer<Errors>>;

/** What the giver does, how it is prepared, and the refusal once the giver lost what is granted. */
export type Grant = readonly [
  what: string,
  prepare: (setup: Giver) => SendGrant | Promise<SendGrant>,
  refused: readonly unknown[],
];

const send = (who: SignedUp, request: SendRequest): Promise<Answer<Errors>> => askAs(who, request);
export const post = (who: SignedUp, path: string, body: object) => send(who, { path, body });
export const patch = (who: SignedUp, path: string, body: object) =>
  send(who, { method: 'PATCH', path, body });
export const remove = (who: SignedUp, path: string) => send(who, { method: 'DELETE', path });

export const NOT_HELD = [422, 'permission_not_held'];
export const ESCALATION = [422, 'capability_escalation'];
export const INVALID = [422, 'token_invalid'];
