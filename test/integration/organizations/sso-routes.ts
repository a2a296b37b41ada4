import { goodPassword } from '../../support/people/people.ts';
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
const changed = { ...refusals, key: interactiveOnly };
const belowEnterprise = { ...changed, admin: withoutPlan, owner: withoutPlan };
const unknown = { ...changed, member: absent, admin: absent, owner: absent };
const readUnknown = { ...unknown, key: absent };
const proof = { current_password: goodPassword };
const draft = { name: 'ID', protocol: 'saml', saml: { metadata: 'x' }, ...proof };

/**
 * Requests for an organization's single sign-on that change nothing, and their expected responses:
 * the organization of these tests is below Enterprise.
 */
export const ssoRoutes: readonly [request: SendRequest, expected: Expected][] = [
  [{ path }, readable],
  [{ method: 'PATCH', path, body: { ...proof, enforced: true } }, belowEnterprise],
  [{ path: connections }, readable],
  [{ method: 'POST', path: connections, body: draft }, belowEnterprise],
  [{ path: connection }, readUnknown],
  [{ method: 'PATCH', path: connection, body: { ...proof, name: 'Other' } }, unknown],
  [{ method: 'DELETE', path: connection, body: proof }, unknown],
  [{ method: 'DELETE', path: `${connection}/links/{account_id}`, body: proof }, unknown],
  [{ method: 'POST', path: `${connection}/test`, body: {} }, unknown],
  [{ path: domains }, readable],
  [{ method: 'POST', path: domains, body: { ...proof, domain: 'acme.example' } }, belowEnterprise],
  [{ method: 'POST', path: `${domains}/{domain}/verify`, body: proof }, unknown],
  [{ method: 'DELETE', path: `${domains}/{domain}`, body: proof }, unknown],
  [{ path: tokens }, readable],
  [{ method: 'POST', path: tokens, body: proof }, belowEnterprise],
  [{ method: 'DELETE', path: `${tokens}/{token_id}` }, unknown],
];
