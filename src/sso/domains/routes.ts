import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import { ReauthenticationProof } from '../../caller/schema.ts';
import type { Route } from '../../caller/route.ts';
import { OrganizationParams } from '../../organizations/schema.ts';
import type { Domains } from './domains.ts';
import { DomainDraft, DomainList, DomainParams, DomainRecord } from './schema.ts';

const tag = 'Single sign-on';
const path = '/api/organizations/{organization_id}/sso/domains';
const write = { interactive: 'organization', permission: 'sso_write' } as const;

/** Routes of the e-mail domains that an organization verifies. */
export const domainRoutes = (domains: Domains): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { on: 'organization', permission: 'sso_read' },
    operation_id: 'listSsoDomains',
    summary: 'List e-mail domains',
    tag,
    params: OrganizationParams,
    responses: { 200: DomainList },
    handle: async ({ params }) => ok(await domains.list(params.organization_id)),
  }),
  defineRoute({
    method: 'POST',
    path,
    access: write,
    reauthentication: 'first',
    operation_id: 'createSsoDomain',
    summary: 'Claim an e-mail domain',
    tag,
    params: OrganizationParams,
    body: DomainDraft,
    responses: { 201: DomainRecord },
    errors: {
      400: ['invalid_domain'],
      409: ['domain_exists'],
      422: ['limit_reached', 'plan_required'],
    },
    handle: async ({ caller, params, body, request }) =>
      created(await domains.add(caller, params.organization_id, body, request)),
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/{domain}/verify`,
    access: write,
    reauthentication: 'first',
    operation_id: 'verifySsoDomain',
    summary: 'Verify an e-mail domain',
    description: 'Looks up the TXT record of the domain, which must have the returned value.',
    tag,
    params: DomainParams,
    object: ({ params }) => domains.get(params),
    body: ReauthenticationProof,
    responses: { 200: DomainRecord },
    errors: { 422: ['domain_taken', 'plan_required', 'txt_not_found'] },
    handle: async ({ caller, params, request }) =>
      ok(await domains.verify(caller, params, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{domain}`,
    access: write,
    reauthentication: 'first',
    operation_id: 'deleteSsoDomain',
    summary: 'Delete an e-mail domain',
    description: 'Its addresses can no longer sign in through single sign-on.',
    tag,
    params: DomainParams,
    object: ({ params }) => domains.get(params),
    body: ReauthenticationProof,
    responses: { 204: null },
    errors: { 422: ['plan_required'] },
    async handle({ caller, params, request }) {
      await domains.remove(caller, params, request);
      return noContent();
    },
  }),
];
