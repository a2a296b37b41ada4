import { created, defineRoute, noContent, ok } from '../../../caller/route.ts';
import type { Route } from '../../../caller/route.ts';
import { PageQuery, pageOf } from '../../../platform/http/pages.ts';
import { CONTENT_ERRORS } from '../../roles/routes.ts';
import { RoleDeletion, RoleDraft, RoleEdit } from '../../roles/schema.ts';
import { OrganizationParams } from '../../schema.ts';
import type { Teams } from '../teams.ts';
import { SharedRoleParams, TeamRoleRecord } from './schema.ts';

type WithRoles = Pick<Teams, 'roles'>;

const tag = 'Team roles';
const path = '/api/organizations/{organization_id}/team-roles';

/** Routes of the roles that can be held in all teams of an organization. */
export const sharedRoleRoutes = (teams: WithRoles): Route[] => [
  ...reading(teams),
  ...changing(teams),
];

const shared = <Params extends { organization_id: string }>(params: Params) => ({
  ...params,
  team_id: null,
});

const reading = (teams: WithRoles): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { on: 'organization', permission: 'team_roles_read' },
    operation_id: 'listSharedTeamRoles',
    summary: 'List the roles that can be held in all teams',
    tag,
    params: OrganizationParams,
    query: PageQuery,
    errors: { 400: ['invalid_cursor'] },
    responses: { 200: pageOf(TeamRoleRecord) },
    handle: async ({ params, query }) => ok(await teams.roles.list(shared(params), query)),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/{role_id}`,
    access: { on: 'organization', permission: 'team_roles_read' },
    operation_id: 'getSharedTeamRole',
    summary: 'Get a role that can be held in all teams',
    tag,
    params: SharedRoleParams,
    object: ({ params }) => teams.roles.get(shared(params)),
    responses: { 200: TeamRoleRecord },
    handle: async ({ params }) => ok(await teams.roles.get(shared(params))),
  }),
];

const changing = (teams: WithRoles): Route[] => [
  defineRoute({
    method: 'POST',
    path,
    access: { on: 'organization', permission: 'team_roles_create' },
    operation_id: 'createSharedTeamRole',
    summary: 'Create a role that can be held in all teams',
    tag,
    params: OrganizationParams,
    body: RoleDraft,
    errors: { 409: ['name_taken'], 422: ['limit_reached', ...CONTENT_ERRORS] },
    responses: { 201: TeamRoleRecord },
    handle: async ({ caller, params, body, request }) =>
      created(await teams.roles.create(caller, shared(params), body, request)),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${path}/{role_id}`,
    access: { on: 'organization', permission: 'team_roles_update' },
    operation_id: 'updateSharedTeamRole',
    summary: 'Change a role, at once for all who hold it in any team; omitted fields stay',
    tag,
    params: SharedRoleParams,
    object: ({ params }) => teams.roles.get(shared(params)),
    body: RoleEdit,
    errors: { 409: ['name_taken'], 422: ['system_role', ...CONTENT_ERRORS] },
    responses: { 200: TeamRoleRecord },
    handle: async ({ caller, params, body, request }) =>
      ok(await teams.roles.update(caller, shared(params), body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{role_id}`,
    access: { on: 'organization', permission: 'team_roles_delete' },
    operation_id: 'deleteSharedTeamRole',
    summary: 'Delete an unused role, or give its holders another one',
    tag,
    params: SharedRoleParams,
    object: ({ params }) => teams.roles.get(shared(params)),
    query: RoleDeletion,
    errors: {
      409: ['role_in_use'],
      422: ['system_role', 'capability_escalation', 'permission_not_held', 'unknown_role'],
    },
    responses: { 204: null },
    async handle({ caller, params, query, request }) {
      await teams.roles.delete(caller, shared(params), query, request);
      return noContent();
    },
  }),
];
