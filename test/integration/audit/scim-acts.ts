import { onTestFinished } from 'vitest';
import type { Action } from '../../../src/caller/actions.ts';
import { createToken } from '../../support/people/directory.ts';
import { createJoins, MEMBER } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import type { Answer, SendRequest } from '../../support/people/people.ts';
import { createSsoOrganizations } from '../../support/people/sso.ts';
import { byAda, current_password } from './action-context.ts';
import type { ActionContext, PrepareAction } from './action-context.ts';
import { membershipScope, organizationScope } from './organization-acts.ts';

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** Creates an organization of Ada's that a directory provisions. */
async function withDirectory(context: ActionContext) {
  const { ada } = context;
  const acme = await createSsoOrganizations(context).organization({}, ada);
  const { id: scim_token, token } = await createToken(ada, acme.id);

  /** Sends a request of the directory; returns an error as REST would. */
  async function ask({ path, ...request }: SendRequest): Promise<Answer<unknown>> {
    const answer = await ada.person.ask<{ detail: string }>({
      ...{ ...request, path: `/scim/v2/${acme.id}${path}`, isUndeclared: true },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    });
    const errors = [{ code: 'service_unavailable', message: answer.body?.detail }];
    return answer.status === 503 ? { ...answer, body: { errors } } : answer;
  }

  async function create(path: string, body: object): Promise<string> {
    const { status, body: created } = await ask({ path, body });
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(created)}`);
    return (created as { id: string }).id;
  }

  const patch = (path: string, Operations: object[]) =>
    ask({ method: 'PATCH', path, body: { schemas: [PATCH], Operations } });
  // The first use of a token is recorded, even if the request is refused.
  await ask({ path: '/Users?count=1' });
  return { acme, scim_token, ask, create, patch, scopes: [organizationScope(acme.id)] };
}

/** Adds a member that the directory does not know yet. */
async function withMember(context: ActionContext) {
  const directory = await withDirectory(context);
  const { acme } = directory;
  const bob = await signUp(context.world, context.gateway, 'bob', `bob@${acme.domain}`);
  const joins = await createJoins(context.gateway);
  onTestFinished(joins.close);
  await joins.add(acme.id, bob);
  return {
    ...{ ...directory, bob, user: { userName: bob.email, displayName: 'Bob' } },
    ...{ path: `/Users/${bob.account_id}`, target: [{ type: 'account', id: bob.account_id }] },
  };
}

/** Adds a member that the directory manages. */
async function withUser(context: ActionContext) {
  const member = await withMember(context);
  await member.create('/Users', member.user);
  return member;
}

const deactivation = [{ op: 'replace', path: 'active', value: false }];

/** The audited actions of directories, and on their tokens. */
export const scimActs: Partial<Record<Action, PrepareAction>> = {
  'scim_token.create': async (context) => {
    const { acme, scopes } = await withDirectory(context);
    const path = `${acme.path}/scim-tokens`;
    return {
      ask: () => byAda(context, { path, body: { name: 'Entra', current_password } }),
      expected: ({ body }) => ({
        ...{ scopes, target: [{ type: 'scim_token', id: (body as { id: string }).id }] },
        detail: { name: 'Entra' },
      }),
    };
  },
  'scim_token.revoke': async (context) => {
    const { acme, scim_token, scopes } = await withDirectory(context);
    const path = `${acme.path}/scim-tokens/${scim_token}`;
    return {
      ask: () => byAda(context, { method: 'DELETE', path }),
      expected: () => ({
        ...{ scopes, target: [{ type: 'scim_token', id: scim_token }] },
        detail: { name: 'Okta' },
      }),
    };
  },
  'scim_user.create': async (context) => {
    const { ask, user, scim_token, scopes, target } = await withMember(context);
    return {
      ask: () => ask({ path: '/Users', body: user }),
      expected: () => ({ scim_token, scopes, target }),
    };
  },
  'scim_user.update': async (context) => {
    const { patch, path, scim_token, scopes, target } = await withUser(context);
    return {
      ask: () => patch(path, [{ op: 'replace', path: 'displayName', value: 'Robert' }]),
      expected: () => ({ scim_token, scopes, target, detail: { fields: ['display_name'] } }),
    };
  },
  'member.deactivate': async (context) => {
    const { acme, bob, patch, path, scim_token, target } = await withUser(context);
    const scopes = [await membershipScope(context, acme.id, bob.account_id)];
    return {
      ask: () => patch(path, deactivation),
      expected: () => ({
        ...{ scim_token, scopes, target },
        detail: { before: { role_ids: [MEMBER], team_ids: [] } },
      }),
    };
  },
  'scim_user.delete': async (context) => {
    const { ask, patch, path, scim_token, scopes, target } = await withUser(context);
    await patch(path, deactivation);
    return {
      ask: () => ask({ method: 'DELETE', path }),
      expected: () => ({ scim_token, scopes, target }),
    };
  },
  'scim_group.update': async (context) => {
    const { create, patch, scim_token, scopes } = await withDirectory(context);
    const id = await create('/Groups', { displayName: 'Red', externalId: 'first' });
    return {
      ask: () => patch(`/Groups/${id}`, [{ op: 'replace', path: 'externalId', value: 'second' }]),
      expected: () => ({ scim_token, scopes, target: [{ type: 'team', id }] }),
    };
  },
};
