import { expect } from 'vitest';
import type { Action } from '../../../src/caller/actions.ts';
import type { ConnectionRecord } from '../../../src/sso/connections/schema.ts';
import { MEMBER } from '../../support/people/organizations.ts';
import { createSsoOrganizations, newDomain } from '../../support/people/sso.ts';
import { profileOf } from '../../support/people/third-party.ts';
import { createBrowserOf, followProvider } from '../../support/people/visitor.ts';
import { browse, byAda, current_password } from './action-context.ts';
import type { ActionContext, PrepareAction } from './action-context.ts';
import { organizationScope, withMember } from './organization-acts.ts';

/** Creates an organization of Ada's that has verified a domain and connected the provider. */
async function withConnection(context: ActionContext) {
  const { draft, organization } = createSsoOrganizations(context);
  const acme = await organization({}, context.ada);
  const { id } = acme.connection;
  return {
    ...{ acme, draft, scopes: [organizationScope(acme.id)] },
    path: `${acme.path}/connections/${id}`,
    target: [{ type: 'sso_connection', id }],
    audited: auditedOf(draft),
  };
}

/** The audited fields of such a connection; its secret is not among them. */
const auditedOf = ({
  name,
  protocol,
  oidc,
}: ReturnType<typeof createSsoOrganizations>['draft']) => ({
  ...{ name, protocol, provider: oidc.issuer, role_ids: [MEMBER], teams: [] },
});

/** Creates an organization of Ada's that claims a domain. */
async function withDomain(context: ActionContext) {
  const domain = newDomain();
  const { id, path } = await createSsoOrganizations(context).claiming(context.ada, domain);
  return { domain, path: `${path}/domains/${domain}`, scopes: [organizationScope(id)] };
}

/** The audited actions on single sign-on. */
export const ssoActs: Partial<Record<Action, PrepareAction>> = {
  'sso.update': async (context) => {
    const { acme, scopes } = await withConnection(context);
    await acme.test(context.ada, acme.someone());
    return {
      ask: () => acme.enforce(context.ada),
      expected: () => ({
        scopes,
        detail: { before: { enforced: false }, after: { enforced: true } },
      }),
    };
  },
  'sso_access.end': async (context) => {
    const { id, path: member, bob } = await withMember(context);
    await context.world.query(
      'INSERT INTO sso_access (account_id, organization_id, since) VALUES ($1, $2, now())',
      [...[bob.account_id, id]],
    );
    const none = { sessions: 0, passkeys: 0, authenticator_apps: 0, identities: 0 };
    return {
      ask: () => byAda(context, { method: 'DELETE', path: member }),
      expected: () => ({
        scopes: [{ kind: 'account', id: bob.account_id }],
        target: [{ type: 'organization', id }],
        detail: expect.objectContaining(none),
        otherActions: ['member.remove'],
      }),
    };
  },
  'sso_connection.create': async (context) => {
    const { acme, draft, scopes, audited } = await withConnection(context);
    const body = { ...draft, name: 'Other ID', current_password };
    return {
      ask: () => byAda(context, { path: `${acme.path}/connections`, body }),
      expected: (answer) => ({
        scopes,
        target: [{ type: 'sso_connection', id: (answer.body as ConnectionRecord).id }],
        detail: { after: { ...audited, name: 'Other ID' } },
      }),
    };
  },
  'sso_connection.update': async (context) => {
    const { path, scopes, target, audited } = await withConnection(context);
    return {
      ask: () =>
        byAda(context, { method: 'PATCH', path, body: { name: 'New ID', current_password } }),
      expected: () => ({
        ...{ scopes, target },
        detail: { fields: ['name'], before: audited, after: { ...audited, name: 'New ID' } },
      }),
    };
  },
  'sso_connection.delete': async (context) => {
    const { path, scopes, target, audited } = await withConnection(context);
    return {
      ask: () => byAda(context, { method: 'DELETE', path, body: { current_password } }),
      expected: () => ({ scopes, target, detail: { before: audited } }),
    };
  },
  'sso_connection.test': async (context) => {
    const { acme, path, scopes, target } = await withConnection(context);
    const { body } = await byAda(context, { path: `${path}/test`, body: {} });
    const visitor = createBrowserOf(context.gateway.url, context.ada);
    const start = await visitor.go((body as { url: string }).url);
    context.provider.person = acme.someone();
    const back = await followProvider(start.location);
    return {
      ask: () => browse(visitor, back),
      expected: () => ({ scopes, target, credential: null }),
    };
  },
  'sso_connection.unlink': async (context) => {
    const { acme, path, scopes, target } = await withConnection(context);
    const { visitor } = await acme.signIn(acme.someone());
    const account_id = (await profileOf(visitor)).body.id;
    return {
      ask: () =>
        byAda(context, {
          method: 'DELETE',
          path: `${path}/links/${account_id}`,
          body: { current_password },
        }),
      expected: () => ({ scopes, target, detail: { account_id } }),
    };
  },
  'sso_domain.create': async (context) => {
    const { acme, scopes } = await withConnection(context);
    const domain = newDomain();
    return {
      ask: () =>
        byAda(context, { path: `${acme.path}/domains`, body: { domain, current_password } }),
      expected: () => ({ scopes, detail: { domain } }),
    };
  },
  'sso_domain.verify': async (context) => {
    const { domain, path, scopes } = await withDomain(context);
    return {
      ask: () =>
        byAda(context, { method: 'POST', path: `${path}/verify`, body: { current_password } }),
      expected: () => ({ scopes, detail: { domain } }),
    };
  },
  'sso_domain.delete': async (context) => {
    const { domain, path, scopes } = await withDomain(context);
    return {
      ask: () => byAda(context, { method: 'DELETE', path, body: { current_password } }),
      expected: () => ({ scopes, detail: { domain } }),
    };
  },
};
