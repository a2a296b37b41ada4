import { defineRoute, noContent, ok } from '../../caller/route.ts';
import { ownSignInErrors } from '../../caller/route-errors.ts';
import type { Route } from '../../caller/route.ts';
import { PageQuery } from '../../platform/http/pages.ts';
import type { Accounts } from '../accounts.ts';
import { ReauthenticationProof } from '../../caller/schema.ts';
import { IdParams } from '../schema.ts';
import { flowCookie } from '../sessions/cookies.ts';
import { IdentityPage, NewIdentity, NewIdentityResponse } from './schema.ts';

export const identityRoutes = (
  accounts: Pick<Accounts, 'identities' | 'providers' | 'cookies'>,
): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/user/identities',
    access: { interactive: 'ownership' },
    operation_id: 'listIdentities',
    summary: 'List linked accounts',
    tag: 'Linked accounts',
    query: PageQuery,
    responses: { 200: IdentityPage },
    handle: async ({ caller, query }) => ok(await accounts.identities.list(caller, query)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/identities',
    access: { interactive: 'manage_account' },
    reauthentication: 'first',
    operation_id: 'linkIdentity',
    summary: 'Link a third-party account',
    tag: 'Linked accounts',
    body: NewIdentity,
    responses: { 200: NewIdentityResponse },
    errors: { 422: ['unknown_provider'] },
    async handle({ caller, body, request }) {
      const { location, flow } = await accounts.providers.startLink(caller, body, request);
      return { ...ok({ location }), cookies: [flowCookie(accounts.cookies, flow)] };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/user/identities/{id}',
    access: { interactive: 'ownership' },
    reauthentication: 'first',
    operation_id: 'unlinkIdentity',
    summary: 'Unlink a third-party account',
    description: 'The last way to sign in cannot be removed. Ends all other sessions.',
    tag: 'Linked accounts',
    params: IdParams,
    body: ReauthenticationProof,
    responses: { 204: null },
    errors: [{ 422: ['last_way_in'] }, ownSignInErrors],
    async handle({ caller, params, reauthentication, request }) {
      await accounts.identities.remove(caller, params.id, reauthentication, request);
      return noContent();
    },
  }),
];
