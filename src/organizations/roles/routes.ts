import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { searchQuery } from '../../platform/http/list-query.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { OrganizationParams } from '../schema.ts';
import { roleChoiceErrors } from './choice.ts';
import type { Roles } from './roles.ts';
import { RoleDeletion, RoleDraft, RoleEdit, RoleParams, RoleRecord } from './schema.ts';

const tag = 'Roles';

/** Problems with the content of a role. */
export const CONTENT_ERRORS = [
  'capability_escalation',
  'permission_not_held',
  'unknown_permission',
] as const;

export const roleRoutes = (roles: Roles): Route[] => [...listRoutes(roles), ...recordRoutes(roles)];

const listRoutes = (roles: Roles): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}/roles',
    access: { on: 'organization', permission: 'roles_read' },
    operation_id: 'listOrganizationRoles',
    summary: 'List organization roles',
    description: 'Includes the system roles.',
    tag,
    params: OrganizationParams,
    query: searchQuery(),
    responses: { 200: pageOf(RoleRecord) },
    handle: async ({ params, query }) => ok(await roles.list(params.organization_id, query)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/organizations/{organization_id}/roles',
    access: { on: 'organization', permission: 'roles_create' },
    operation_id: 'createOrganizationRole',
    summary: 'Create an organization role',
    description: 'The role can have at most the permissions that you have.',
    tag,
    params: OrganizationParams,
    body: RoleDraft,
    responses: { 201: RoleRecord },
    errors: { 409: ['name_taken'], 422: ['limit_reached', ...CONTENT_ERRORS] },
    handle: async ({ caller, params, body, request }) =>
      created(await roles.create(caller, params.organization_id, body, request)),
  }),
];

const recordRoutes = (roles: Roles): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}/roles/{role_id}',
    access: { on: 'organization', permission: 'roles_read' },
    operation_id: 'getOrganizationRole',
    summary: 'Get an organization role',
    tag,
    params: RoleParams,
    object: ({ params }) => roles.get(params),
    responses: { 200: RoleRecord },
    handle: async ({ params }) => ok(await roles.get(params)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/organizations/{organization_id}/roles/{role_id}',
    access: { on: 'organization', permission: 'roles_update' },
    operation_id: 'updateOrganizationRole',
    summary: 'Change an organization role',
    description: 'The change applies to everyone who has the role.',
    tag,
    params: RoleParams,
    object: ({ params }) => roles.get(params),
    body: RoleEdit,
    responses: { 200: RoleRecord },
    errors: { 409: ['name_taken'], 422: ['system_role', ...CONTENT_ERRORS] },
    handle: async ({ caller, params, body, request }) =>
      ok(await roles.update(caller, params, body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/organizations/{organization_id}/roles/{role_id}',
    access: { on: 'organization', permission: 'roles_delete' },
    operation_id: 'deleteOrganizationRole',
    summary: 'Delete an organization role',
    tag,
    params: RoleParams,
    object: ({ params }) => roles.get(params),
    query: RoleDeletion,
    responses: { 204: null },
    errors: { 409: ['role_in_use'], 422: ['system_role', ...roleChoiceErrors] },
    async handle({ caller, params, query, request }) {
      await roles.delete(caller, params, query, request);
      return noContent();
    },
  }),
];
