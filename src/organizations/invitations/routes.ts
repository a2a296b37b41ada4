import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { searchQuery } from '../../platform/http/list-query.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { roleChoiceErrors } from '../roles/choice.ts';
import { listingOf } from '../record.ts';
import { OrganizationListing, OrganizationParams } from '../schema.ts';
import type { Organizations } from '../organizations.ts';
import {
  InvitationDraft,
  InvitationParams,
  InvitationPreview,
  InvitationRecord,
  LinkParams,
  SentInvitation,
} from './schema.ts';

const tag = 'Invitations';

type InvitationServices = Pick<Organizations, 'invitations' | 'get'>;

export const invitationRoutes = (services: InvitationServices): Route[] => [
  ...listRoutes(services),
  ...recordRoutes(services),
  ...acceptanceRoutes(services),
];

const listRoutes = ({ invitations }: InvitationServices): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}/invitations',
    access: { on: 'organization', permission: 'members_read' },
    operation_id: 'listOrganizationInvitations',
    summary: 'List organization invitations',
    description: 'The newest is first.',
    tag,
    params: OrganizationParams,
    query: searchQuery('Only invitations to addresses that begin with this text.'),
    responses: { 200: pageOf(InvitationRecord) },
    handle: async ({ params, query }) => ok(await invitations.list(params.organization_id, query)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/organizations/{organization_id}/invitations',
    access: { on: 'organization', permission: 'members_invite' },
    operation_id: 'createOrganizationInvitation',
    summary: 'Invite a person',
    description:
      'Sends an e-mail with a link that is valid for seven days. The roles of the invitation can grant at most what you have.',
    tag,
    params: OrganizationParams,
    body: InvitationDraft,
    responses: { 201: SentInvitation },
    errors: {
      400: ['invalid_email'],
      409: ['already_invited', 'already_member'],
      422: [...roleChoiceErrors, 'limit_reached', 'unknown_team'],
      503: ['email_unavailable'],
    },
    handle: async ({ caller, params, body, request }) =>
      created(await invitations.create(caller, params.organization_id, body, request)),
  }),
];

const recordRoutes = ({ invitations }: InvitationServices): Route[] => [
  defineRoute({
    method: 'DELETE',
    path: '/api/organizations/{organization_id}/invitations/{invitation_id}',
    access: { on: 'organization', permission: 'members_invite' },
    operation_id: 'revokeOrganizationInvitation',
    summary: 'Revoke an invitation',
    description: 'Its link stops working.',
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
    summary: 'Resend an invitation',
    description: 'Sends a new link, which is valid for another seven days.',
    tag,
    params: InvitationParams,
    object: ({ params }) => invitations.require(params),
    responses: { 200: SentInvitation },
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
    summary: 'Preview an invitation',
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
    summary: 'Accept an invitation',
    description: 'The invitation must be to your address. You become a member of the organization.',
    tag,
    params: LinkParams,
    object: ({ params }) => invitations.preview(params.token),
    responses: { 200: OrganizationListing },
    errors: {
      409: ['already_member'],
      422: [
        ...(['token_invalid', 'invitation_for_another_address', 'limit_reached'] as const),
        'organization_suspended',
      ],
    },
    handle: async ({ caller, params, request }) =>
      ok(listingOf(await get(caller, await invitations.accept(caller, params.token, request)))),
  }),
];
