import { randomUUID } from 'node:crypto';
import type { Answer, SendRequest, SignedUp } from '../../support/people/people.ts';
import { signUp } from '../../support/people/people.ts';
import { askAs, at, createRole } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { createTeamRole } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';

const grantorPermissions = [
  'can_view_organization',
  ...['create', 'update', 'delete'].map((verb) => `can_${verb}_organization_roles`),
  ...['update', 'delete'].map((verb) => `can_${verb}_organization_team_roles`),
  'can_invite_organization_members',
  'can_update_organization_members',
  'can_create_organization_api_keys',
  'can_update_organization_api_keys',
  'can_create_organization_oauth_clients',
  'can_update_organization_oauth_clients',
];
const grantorTeamPermissions = [
  'can_create_team_members',
  'can_update_team_members',
  'can_create_team_roles',
  'can_update_team_roles',
  'can_delete_team_roles',
];
/**
 * What the grantor loses: a permission and a capability in the organization, and one in the team.
 */
export const GRANTED = { permissions: ['can_view_organization_usage'], capabilities: ['tools'] };
export const GRANTED_IN_TEAM = { permissions: ['can_view_team_usage'] };

/**
 * Creates a member on the second gateway with two roles, in an organization and in a team: one that
 * allows the requests under test, and one whose permissions these requests grant. `restore` gives
 * the second roles back, and what tests assign to the other member.
 */
export async function createGrantor(teams: TeamsWorld) {
  const organization = await teams.organization();
  const { id, owner, path: teamPath, add, setRoles: setSeatRoles } = organization;
  const path = `/api/organizations/${id}`;
  const roleOf = (name: string, content: object = {}) =>
    createRole(owner, id, { name, ...content });
  const teamRoleOf = (name: string, content: object = {}, rolesPath = `${teamPath}/roles`) =>
    createTeamRole(owner, rolesPath, { name, ...content });
  const acting = await roleOf('Acting', { permissions: grantorPermissions });
  const actingInTeam = await teamRoleOf('Acting', { permissions: grantorTeamPermissions });
  const roles = {
    grantable: await roleOf('Granted', GRANTED),
    capable: await roleOf('Capable', { capabilities: GRANTED.capabilities }),
    empty: await roleOf('Empty'),
    grantableInTeam: await teamRoleOf('Granted', GRANTED_IN_TEAM),
    emptyInTeam: await teamRoleOf('Empty'),
  };
  const member = await teams.join(id, 'member', [roles.empty.id]);
  const grantor = await teams.join(id, 'grantor', [acting.id, roles.grantable.id]);
  await add(owner, grantor, [actingInTeam.id, roles.grantableInTeam.id]);
  await add(owner, member, [roles.emptyInTeam.id]);
  const setRoles = (...role_ids: string[]) =>
    askAs(owner, {
      method: 'PATCH',
      path: `${path}/members/${grantor.account_id}`,
      body: { role_ids },
    });
  return {
    ...{ ...organization, ...roles, path, teamPath, member },
    world: teams.world,
    /** Creates a team role of this kind; the name is unique. */
    teamRoleOf: (name: string, content?: object, rolesPath?: string) =>
      teamRoleOf(`${name} ${randomUUID()}`, content, rolesPath),
    grantor: at(grantor, teams.otherGateway),
    guest: () => signUp(teams.world, teams.gateway, 'guest'),
    atGrantor: (who: SignedUp) => at(who, teams.otherGateway),
    demote: () => setRoles(acting.id),
    demoteInTeam: () => setSeatRoles(owner, grantor, [actingInTeam.id]),
    async restore() {
      const changes = [
        await setRoles(acting.id, roles.grantable.id),
        await setSeatRoles(owner, grantor, [actingInTeam.id, roles.grantableInTeam.id]),
        await setSeatRoles(owner, member, [roles.emptyInTeam.id]),
      ];
      const failed = changes.find(({ status }) => status !== 200);
      if (failed !== undefined) throw new Error(`roles: ${JSON.stringify(failed.body)}`);
    },
  };
}
export type Grantor = Awaited<ReturnType<typeof createGrantor>>;
export type SendGrant = () => Promise<Answer<Errors>>;

/**
 * A grant under test: its description, its setup, and the error expected once the grantor has lost
 * the granted permission.
 */
export type Grant = readonly [
  what: string,
  prepare: (setup: Grantor) => SendGrant | Promise<SendGrant>,
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
