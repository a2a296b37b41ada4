import type { Principal } from '../../../caller/principal.ts';
import { created, defineRoute, noContent, ok } from '../../../caller/route.ts';
import type { Route } from '../../../caller/route.ts';
import { searchQuery } from '../../../platform/http/list-query.ts';
import { pageOf } from '../../../platform/http/pages.ts';
import { CONTENT_ERRORS } from '../../roles/routes.ts';
import { RoleDeletion, RoleDraft, RoleEdit } from '../../roles/schema.ts';
import { TeamParams } from '../schema.ts';
import type { Teams } from '../teams.ts';
import { OwnRoleParams, TeamRoleRecord } from './schema.ts';

type RoleServices = Pick<Teams, 'roles' | 'requireInside'>;

const tag = 'Team roles';
const path = '/api/organizations/{organization_id}/teams/{team_id}/roles';

/** Routes of the roles of a single team. */
export const ownRoleRoutes = (teams: RoleServices): Route[] => [
  ...readRoutes(teams),
  ...changeRoutes(teams),
];

/** Returns a check that throws 404 unless the caller is in the team and the role exists for it. */
const requireRole =
  (teams: RoleServices) =>
  async ({ caller, params }: { caller: Principal; params: OwnRoleParams }) => {
    await teams.requireInside(caller, params);
    await teams.roles.get(params);
  };

const readRoutes = (teams: RoleServices): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { on: 'team', permission: 'roles_read' },
    operation_id: 'listTeamRoles',
    summary: 'List one team’s roles',
    description: 'Includes the roles for all teams.',
    tag,
    params: TeamParams,
    object: ({ caller, params }) => teams.requireInside(caller, params),
    query: searchQuery(),
    responses: { 200: pageOf(TeamRoleRecord) },
    handle: async ({ params, query }) => ok(await teams.roles.list(params, query)),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/{role_id}`,
    access: { on: 'team', permission: 'roles_read' },
    operation_id: 'getTeamRole',
    summary: 'Get a team role',
    tag,
    params: OwnRoleParams,
    object: requireRole(teams),
    responses: { 200: TeamRoleRecord },
    handle: async ({ params }) => ok(await teams.roles.get(params)),
  }),
];

const changeRoutes = (teams: RoleServices): Route[] => [
  defineRoute({
    method: 'POST',
    path,
    access: { on: 'team', permission: 'roles_create' },
    operation_id: 'createTeamRole',
    summary: 'Create a team role',
    description: 'The role can have at most the permissions that you have in the team.',
    tag,
    params: TeamParams,
    object: ({ caller, params }) => teams.requireInside(caller, params),
    body: RoleDraft,
    errors: { 409: ['name_taken'], 422: ['limit_reached', ...CONTENT_ERRORS] },
    responses: { 201: TeamRoleRecord },
    handle: async ({ caller, params, body, request }) =>
      created(await teams.roles.create(caller, params, body, request)),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${path}/{role_id}`,
    access: { on: 'team', permission: 'roles_update' },
    operation_id: 'updateTeamRole',
    summary: 'Change a team role',
    description: 'The change applies to everyone who has the role.',
    tag,
    params: OwnRoleParams,
    object: requireRole(teams),
    body: RoleEdit,
    errors: {
      409: ['name_taken'],
      422: ['system_role', ...CONTENT_ERRORS, 'role_of_organization'],
    },
    responses: { 200: TeamRoleRecord },
    handle: async ({ caller, params, body, request }) =>
      ok(await teams.roles.update(caller, params, body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{role_id}`,
    access: { on: 'team', permission: 'roles_delete' },
    operation_id: 'deleteTeamRole',
    summary: 'Delete a team role',
    tag,
    params: OwnRoleParams,
    object: requireRole(teams),
    query: RoleDeletion,
    errors: {
      409: ['role_in_use'],
      422: [
        'system_role',
        'capability_escalation',
        'permission_not_held',
        'unknown_role',
        'role_of_organization',
      ],
    },
    responses: { 204: null },
    async handle({ caller, params, query, request }) {
      await teams.roles.delete(caller, params, query, request);
      return noContent();
    },
  }),
];
