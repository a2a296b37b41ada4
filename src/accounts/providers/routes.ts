import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { replyToCallback, replyToStart } from './replies.ts';
import { Callback, ProviderId, ProviderList, Start } from './schema.ts';

export const providerRoutes = (accounts: Pick<Accounts, 'providers' | 'cookies'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/auth/providers',
    access: 'public',
    operation_id: 'listSignInProviders',
    summary: 'List sign-in providers',
    description: 'Lists the third-party providers that are configured on this service.',
    tag: 'Sign-in',
    responses: { 200: ProviderList },
    handle: () => ok(accounts.providers.list()),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/oauth/{provider}',
    access: 'public',
    operation_id: 'startProviderSignIn',
    summary: 'Start a provider sign-in',
    description:
      'Redirects the browser to the sign-in of the provider. Open it as a page, not with a script.',
    tag: 'Sign-in',
    params: ProviderId,
    query: Start,
    responses: { 302: null },
    handle: async ({ params, query, request }) =>
      replyToStart(
        accounts.cookies,
        await accounts.providers.start(params.provider, query, request),
      ),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/oauth/{provider}/callback',
    access: 'public',
    operation_id: 'completeProviderSignIn',
    is_callback: true,
    summary: 'Complete a provider sign-in',
    description:
      'The provider redirects the browser here. Redirects to the dashboard, or shows why the sign-in failed.',
    tag: 'Sign-in',
    params: ProviderId,
    query: Callback,
    responses: { 302: null },
    // Up to four requests to the provider, with a timeout of 5 s each.
    within_ms: 25_000,
    async handle({ params, query, request }) {
      const flow = request.cookies[accounts.cookies.flow];
      const result = await accounts.providers.finish(params.provider, query, flow, request);
      return replyToCallback(accounts.cookies, result);
    },
  }),
];
