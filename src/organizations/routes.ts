import { created, defineRoute, noContent, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import { PageQuery, pageOf } from '../platform/http/pages.ts';
import { billingRoutes } from './billing/routes.ts';
import { invitationRoutes } from './invitations/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { organizationRoleRoutes } from './roles/routes.ts';
import type { Organizations } from './organizations.ts';
import {
  OrganizationDeletion,
  OrganizationDraft,
  OrganizationEdit,
  OrganizationListing,
  OrganizationParams,
  OrganizationRecord,
} from './schema.ts';
import { teamRoutes } from './teams/routes.ts';

const tag = 'Organizations';

export const organizationRoutes = (organizations: Organizations): Route[] => [
  ...listRoutes(organizations),
  ...recordRoutes(organizations),
  ...billingRoutes(organizations.billing),
  ...memberRoutes(organizations.members),
  ...organizationRoleRoutes(organizations),
  ...teamRoutes(organizations.teams),
  ...invitationRoutes(organizations),
];

const listRoutes = (organizations: Organizations): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations',
    access: 'caller',
    operation_id: 'listOrganizations',
    summary: 'List your organizations',
    description: 'The newest is first. A key sees the organizations that it has a grant for.',
    tag,
    query: PageQuery,
    responses: { 200: pageOf(OrganizationListing) },
    handle: async ({ caller, query }) => ok(await organizations.list(caller, query)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/organizations',
    access: { interactive: 'manage_account' },
    operation_id: 'createOrganization',
    summary: 'Create an organization',
    description: 'You become its Owner. 404 means that your account was deleted at the same time.',
    tag,
    body: OrganizationDraft,
    responses: { 201: OrganizationRecord },
    errors: { 404: ['not_found'], 422: ['limit_reached'] },
    handle: async ({ caller, body, request }) =>
      created(await organizations.create(caller, body, request)),
  }),
];

const recordRoutes = (organizations: Organizations): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}',
    access: { on: 'organization', permission: 'profile_read' },
    operation_id: 'getOrganization',
    summary: 'Get an organization',
    tag,
    params: OrganizationParams,
    responses: { 200: OrganizationRecord },
    handle: async ({ caller, params }) =>
      ok(await organizations.get(caller, params.organization_id)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/organizations/{organization_id}',
    access: { on: 'organization', permission: 'profile_write' },
    operation_id: 'updateOrganization',
    summary: 'Rename an organization',
    tag,
    params: OrganizationParams,
    body: OrganizationEdit,
    responses: { 200: OrganizationRecord },
    handle: async ({ caller, params, body, request }) =>
      ok(await organizations.update(caller, params.organization_id, body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/organizations/{organization_id}',
    access: { interactive: 'organization', permission: 'delete', suspended: 'allowed' },
    reauthentication: 'first',
    operation_id: 'deleteOrganization',
    summary: 'Delete an organization',
    description: 'Deletes all its data permanently. Only the Owner can do this.',
    tag,
    params: OrganizationParams,
    body: OrganizationDeletion,
    responses: { 204: null },
    errors: { 422: ['confirmation_mismatch'] },
    async handle({ caller, params, body, request }) {
      await organizations.delete(caller, params.organization_id, body, request);
      return noContent();
    },
  }),
];
