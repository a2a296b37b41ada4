import type { SendRequest } from '../../support/people/people.ts';
import { absent, denied, interactiveOnly, unauthenticated } from './expected.ts';
import type { Expected } from './expected.ts';

const path = '/api/organizations/{organization_id}/sso';
const connections = `${path}/connections`;
const connection = `${connections}/{connection_id}`;
const domains = `${path}/domains`;
const tokens = `${path}/scim-tokens`;
const refusals = { anonymous: unauthenticated, key: absent, stranger: absent, member: denied };
const readable = { ...refusals, admin: [200], owner: [200] };
const withoutPlan = [422, 'plan_required'];
const belowEnterprise = { ...refusals, admin: withoutPlan, owner: withoutPlan };
const unknown = { ...refusals, member: absent, admin: absent, owner: absent };
const draft = { name: 'ID', protocol: 'saml', saml: { metadata: 'x' } };

/**
 * Requests for an organization's single sign-on that change nothing, and their expected responses:
 * the organization of these tests is below Enterprise.
 */
export const ssoRoutes: readonly [request: SendRequest, expected: Expected][] = [
  [{ path }, readable],
  [{ method: 'PATCH', path, body: { enforced: true } }, belowEnterprise],
  [{ path: connections }, readable],
  [{ method: 'POST', path: connections, body: draft }, belowEnterprise],
  [{ path: connection }, unknown],
  [{ method: 'PATCH', path: connection, body: { name: 'Other' } }, unknown],
  [{ method: 'DELETE', path: connection }, unknown],
  [{ method: 'DELETE', path: `${connection}/links/{account_id}` }, unknown],
  [{ method: 'POST', path: `${connection}/test`, body: {} }, unknown],
  [{ path: domains }, readable],
  [{ method: 'POST', path: domains, body: { domain: 'acme.example' } }, belowEnterprise],
  [{ method: 'POST', path: `${domains}/{domain}/verify` }, unknown],
  [{ method: 'DELETE', path: `${domains}/{domain}` }, unknown],
  [{ path: tokens }, readable],
  [
    { method: 'POST', path: tokens, body: {} },
    { ...belowEnterprise, key: interactiveOnly },
  ],
  [
    { method: 'DELETE', path: `${tokens}/{token_id}` },
    { ...unknown, key: interactiveOnly },
  ],
];
