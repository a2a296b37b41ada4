import { created, defineRoute, noContent, ok } from '../../../caller/route.ts';
import type { Route } from '../../../caller/route.ts';
import { searchQuery } from '../../../platform/http/list-query.ts';
import { pageOf } from '../../../platform/http/pages.ts';
import { CONTENT_ERRORS } from '../../roles/routes.ts';
import { RoleDeletion, RoleDraft, RoleEdit } from '../../roles/schema.ts';
import { OrganizationParams } from '../../schema.ts';
import type { Teams } from '../teams.ts';
import { SharedRoleParams, TeamRoleRecord } from './schema.ts';

type RoleServices = Pick<Teams, 'roles'>;

const tag = 'Team roles';
const path = '/api/organizations/{organization_id}/team-roles';

/** Routes of the roles for all teams of an organization. */
export const sharedRoleRoutes = (teams: RoleServices): Route[] => [
  ...readRoutes(teams),
  ...changeRoutes(teams),
];

const withoutTeam = <Params extends { organization_id: string }>(params: Params) => ({
  ...params,
  team_id: null,
});

const readRoutes = (teams: RoleServices): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { on: 'organization', permission: 'team_roles_read' },
    operation_id: 'listOrganizationTeamRoles',
    summary: 'List roles for all teams',
    tag,
    params: OrganizationParams,
    query: searchQuery(),
    responses: { 200: pageOf(TeamRoleRecord) },
    handle: async ({ params, query }) => ok(await teams.roles.list(withoutTeam(params), query)),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/{role_id}`,
    access: { on: 'organization', permission: 'team_roles_read' },
    operation_id: 'getOrganizationTeamRole',
    summary: 'Get a role for all teams',
    tag,
    params: SharedRoleParams,
    object: ({ params }) => teams.roles.get(withoutTeam(params)),
    responses: { 200: TeamRoleRecord },
    handle: async ({ params }) => ok(await teams.roles.get(withoutTeam(params))),
  }),
];

const changeRoutes = (teams: RoleServices): Route[] => [
  defineRoute({
    method: 'POST',
    path,
    access: { on: 'organization', permission: 'team_roles_create' },
    operation_id: 'createOrganizationTeamRole',
    summary: 'Create a role for all teams',
    tag,
    params: OrganizationParams,
    body: RoleDraft,
    errors: { 409: ['name_taken'], 422: ['limit_reached', ...CONTENT_ERRORS] },
    responses: { 201: TeamRoleRecord },
    handle: async ({ caller, params, body, request }) =>
      created(await teams.roles.create(caller, withoutTeam(params), body, request)),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${path}/{role_id}`,
    access: { on: 'organization', permission: 'team_roles_update' },
    operation_id: 'updateOrganizationTeamRole',
    summary: 'Change a role for all teams',
    description: 'Takes effect immediately in every team.',
    tag,
    params: SharedRoleParams,
    object: ({ params }) => teams.roles.get(withoutTeam(params)),
    body: RoleEdit,
    errors: { 409: ['name_taken'], 422: ['system_role', ...CONTENT_ERRORS] },
    responses: { 200: TeamRoleRecord },
    handle: async ({ caller, params, body, request }) =>
      ok(await teams.roles.update(caller, withoutTeam(params), body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{role_id}`,
    access: { on: 'organization', permission: 'team_roles_delete' },
    operation_id: 'deleteOrganizationTeamRole',
    summary: 'Delete a role for all teams',
    tag,
    params: SharedRoleParams,
    object: ({ params }) => teams.roles.get(withoutTeam(params)),
    query: RoleDeletion,
    errors: {
      409: ['role_in_use'],
      422: ['system_role', 'capability_escalation', 'permission_not_held', 'unknown_role'],
    },
    responses: { 204: null },
    async handle({ caller, params, query, request }) {
      await teams.roles.delete(caller, withoutTeam(params), query, request);
      return noContent();
    },
  }),
];
