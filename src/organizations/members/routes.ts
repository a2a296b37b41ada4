import { defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { OrganizationParams } from '../schema.ts';
import { roleChoiceErrors } from '../roles/choice.ts';
import type { Members } from './members.ts';
import {
  MemberEdit,
  MemberListParameters,
  MemberParams,
  MemberRecord,
  OwnershipTransfer,
} from './schema.ts';

export const memberRoutes = (members: Members): Route[] => [
  ...readRoutes(members),
  defineRoute({
    method: 'PATCH',
    path: '/api/organizations/{organization_id}/members/{account_id}',
    access: { on: 'organization', permission: 'members_update' },
    operation_id: 'updateOrganizationMember',
    summary: 'Change a member’s roles',
    description: 'You must be allowed to grant the new roles.',
    tag: 'Members',
    params: MemberParams,
    object: ({ params }) => members.require(params),
    body: MemberEdit,
    responses: { 200: MemberRecord },
    errors: { 422: [...roleChoiceErrors, 'last_owner'] },
    handle: async ({ caller, params, body, request }) =>
      ok(await members.update(caller, params, body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/organizations/{organization_id}/members/{account_id}',
    // Leaving needs no permission; the handler checks the permission to remove another member.
    access: { on: 'organization', permission: 'see', suspended: 'allowed' },
    operation_id: 'removeOrganizationMember',
    summary: 'Remove an organization member',
    description:
      'Removing another member requires `can_remove_organization_members`. Naming yourself leaves the organization, which only a session can do.',
    tag: 'Members',
    params: MemberParams,
    object: ({ params }) => members.require(params),
    responses: { 204: null },
    errors: {
      403: ['insufficient_scope', 'organization_suspended', 'permission_denied'],
      422: ['last_owner'],
    },
    async handle({ caller, params, request }) {
      await members.remove(caller, params, request);
      return noContent();
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/organizations/{organization_id}/transfer-ownership',
    access: { interactive: 'organization', permission: 'ownership_transfer' },
    reauthentication: 'first',
    operation_id: 'transferOrganizationOwnership',
    summary: 'Transfer an organization’s ownership',
    description: 'Makes another member the Owner. You become an Admin.',
    tag: 'Organizations',
    params: OrganizationParams,
    body: OwnershipTransfer,
    responses: { 204: null },
    errors: { 422: ['limit_reached', 'not_a_member'] },
    async handle({ caller, params, body, request }) {
      await members.transfer(caller, params.organization_id, body, request);
      return noContent();
    },
  }),
];

const readRoutes = (members: Members): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}/members',
    access: { on: 'organization', permission: 'members_read' },
    operation_id: 'listOrganizationMembers',
    summary: 'List organization members',
    tag: 'Members',
    params: OrganizationParams,
    query: MemberListParameters,
    responses: { 200: pageOf(MemberRecord) },
    handle: async ({ params, query }) => ok(await members.list(params.organization_id, query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}/members/{account_id}',
    access: { on: 'organization', permission: 'members_read' },
    operation_id: 'getOrganizationMember',
    summary: 'Get an organization member',
    tag: 'Members',
    params: MemberParams,
    object: ({ params }) => members.require(params),
    responses: { 200: MemberRecord },
    handle: async ({ params }) => ok(await members.get(params)),
  }),
];
