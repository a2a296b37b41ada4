import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { PageQuery, pageOf } from '../../platform/http/pages.ts';
import { roleChoiceErrors } from '../roles/choice.ts';
import { OrganizationParams, OrganizationRecord } from '../schema.ts';
import type { Organizations } from '../organizations.ts';
import {
  InvitationDraft,
  InvitationParams,
  InvitationPreview,
  InvitationRecord,
  LinkParams,
} from './schema.ts';

const tag = 'Invitations';

type InvitationServices = Pick<Organizations, 'invitations' | 'get'>;

export const invitationRoutes = (services: InvitationServices): Route[] => [
  ...managementRoutes(services),
  ...acceptanceRoutes(services),
];

const managementRoutes = ({ invitations }: InvitationServices): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}/invitations',
    access: { on: 'organization', permission: 'members_read' },
    operation_id: 'listOrganizationInvitations',
    summary: 'List invitations, newest first',
    tag,
    params: OrganizationParams,
    query: PageQuery,
    responses: { 200: pageOf(InvitationRecord) },
    handle: async ({ params, query }) => ok(await invitations.list(params.organization_id, query)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/organizations/{organization_id}/invitations',
    access: { on: 'organization', permission: 'members_invite' },
    operation_id: 'createOrganizationInvitation',
    summary: 'Invite an address with roles that grant at most what you have',
    tag,
    params: OrganizationParams,
    body: InvitationDraft,
    responses: { 201: InvitationRecord },
    errors: {
      400: ['invalid_email'],
      409: ['already_invited', 'already_member'],
      422: [...roleChoiceErrors, 'limit_reached', 'unknown_team'],
      429: ['rate_limited'],
      503: ['email_unavailable'],
    },
    handle: async ({ caller, params, body, request }) =>
      created(await invitations.create(caller, params.organization_id, body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/organizations/{organization_id}/invitations/{invitation_id}',
    access: { on: 'organization', permission: 'members_invite' },
    operation_id: 'revokeOrganizationInvitation',
    summary: 'Revoke an invitation; its link stops working',
    tag,
    params: InvitationParams,
    object: ({ params }) => invitations.require(params),
    responses: { 204: null },
    errors: { 409: ['invitation_ended'] },
    async handle({ caller, params, request }) {
      await invitations.revoke(caller, params, request);
      return noContent();
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/organizations/{organization_id}/invitations/{invitation_id}/resend',
    access: { on: 'organization', permission: 'members_invite' },
    operation_id: 'resendOrganizationInvitation',
    summary: 'Send an invitation again, with a new link that is valid for another seven days',
    tag,
    params: InvitationParams,
    object: ({ params }) => invitations.require(params),
    responses: { 200: InvitationRecord },
    errors: {
      409: ['invitation_ended'],
      422: [...roleChoiceErrors, 'limit_reached', 'unknown_team'],
      429: ['rate_limited'],
      503: ['email_unavailable'],
    },
    handle: async ({ caller, params, request }) =>
      ok(await invitations.resend(caller, params, request)),
  }),
];

const acceptanceRoutes = ({ invitations, get }: InvitationServices): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/invitations/{token}',
    access: 'public',
    operation_id: 'previewInvitation',
    summary: 'Preview an invitation with the token of its link',
    tag,
    params: LinkParams,
    responses: { 200: InvitationPreview },
    errors: { 422: ['token_invalid'] },
    handle: async ({ params }) => ok(await invitations.preview(params.token)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/invitations/{token}/accept',
    access: { interactive: 'manage_account' },
    operation_id: 'acceptInvitation',
    summary: 'Accept an invitation to your address and become a member',
    tag,
    params: LinkParams,
    object: ({ params }) => invitations.preview(params.token),
    responses: { 200: OrganizationRecord },
    errors: {
      409: ['already_member'],
      422: [
        ...(['token_invalid', 'invitation_for_another_address', 'limit_reached'] as const),
        'organization_suspended',
      ],
    },
    handle: async ({ caller, params, request }) =>
      ok(await get(caller, await invitations.accept(caller, params.token, request))),
  }),
];
