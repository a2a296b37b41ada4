import { defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { PageQuery } from '../../platform/http/pages.ts';
import type { Accounts } from '../accounts.ts';
import { PresenceProof } from '../schema.ts';
import { flowCookie } from '../sessions/cookies.ts';
import { IdentityId, IdentityPage, NewIdentity, NewIdentityAnswer } from './schema.ts';

export const identityRoutes = (
  accounts: Pick<Accounts, 'identities' | 'providers' | 'cookies'>,
): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/user/identities',
    access: { interactive: 'ownership' },
    summary: 'The third parties this account signs in with.',
    tag: 'Account',
    query: PageQuery,
    responses: { 200: IdentityPage },
    handle: async ({ caller, query }) => ok(await accounts.identities.list(caller, query)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/identities',
    access: { interactive: 'manage_account' },
    summary: 'Begins to add one: the browser goes to `location`, signs in there and comes back.',
    tag: 'Account',
    body: NewIdentity,
    responses: { 200: NewIdentityAnswer },
    async handle({ caller, body, request }) {
      const { location, flow } = await accounts.providers.startLink(caller, body, request);
      return { ...ok({ location }), cookies: [flowCookie(accounts.cookies, flow)] };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/user/identities/{id}',
    access: { interactive: 'ownership' },
    summary: 'Removes one, but not the last way to sign in; the other sessions end.',
    tag: 'Account',
    params: IdentityId,
    body: PresenceProof,
    responses: { 204: null },
    async handle({ caller, params, body, request }) {
      await accounts.identities.remove(caller, params.id, body, request);
      return noContent();
    },
  }),
];
