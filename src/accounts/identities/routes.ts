import { defineRoute, noContent, ok } from '../../caller/route.ts';
import { reauthenticationErrors } from '../../caller/route-errors.ts';
import type { Route } from '../../caller/route.ts';
import { PageQuery } from '../../platform/http/pages.ts';
import type { Accounts } from '../accounts.ts';
import { IdParams, ReauthenticationProof } from '../schema.ts';
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
    summary: 'List linked third-party accounts',
    tag: 'Account',
    query: PageQuery,
    responses: { 200: IdentityPage },
    handle: async ({ caller, query }) => ok(await accounts.identities.list(caller, query)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/identities',
    access: { interactive: 'manage_account' },
    operation_id: 'linkIdentity',
    summary: 'Start linking a third-party account; send the browser to `location`',
    tag: 'Account',
    body: NewIdentity,
    responses: { 200: NewIdentityResponse },
    errors: { ...reauthenticationErrors, 422: ['unknown_provider'] },
    async handle({ caller, body, request }) {
      const { location, flow } = await accounts.providers.startLink(caller, body, request);
      return { ...ok({ location }), cookies: [flowCookie(accounts.cookies, flow)] };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/user/identities/{id}',
    access: { interactive: 'ownership' },
    operation_id: 'unlinkIdentity',
    summary:
      'Unlink a third-party account unless it is the last way to sign in; ends other sessions',
    tag: 'Account',
    params: IdParams,
    body: ReauthenticationProof,
    responses: { 204: null },
    errors: { ...reauthenticationErrors, 422: ['last_way_in'] },
    async handle({ caller, params, body, request }) {
      await accounts.identities.remove(caller, params.id, body, request);
      return noContent();
    },
  }),
];
