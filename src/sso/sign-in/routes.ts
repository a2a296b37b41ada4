import { replyToCallback, replyToStart } from '../../accounts/providers/providers.ts';
import { Callback } from '../../accounts/providers/schema.ts';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Sso } from '../sso.ts';
import { Discovery, DiscoveryQuery, SsoParams, StartSso } from './schema.ts';

const tag = 'Sign-in';

/** Routes with which people sign in at the identity provider of their organization. */
export const signInRoutes = ({ discover, signIn, cookies }: Sso): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/auth/sso',
    access: 'public',
    operation_id: 'getSsoSignIn',
    summary: 'Find single sign-on by address',
    description: 'Finds the identity provider at which an address signs in.',
    tag,
    query: DiscoveryQuery,
    responses: { 200: Discovery },
    errors: { 400: ['invalid_email'], 429: ['rate_limited'] },
    handle: async ({ query, request }) => ok(await discover(query, request)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/sso/{connection_id}/start',
    access: 'public',
    operation_id: 'startSsoSignIn',
    summary: 'Start a single sign-on',
    description: 'Redirects the browser to the identity provider.',
    tag,
    params: SsoParams,
    query: StartSso,
    responses: { 302: null },
    handle: async ({ params, query, request }) =>
      replyToStart(cookies, await signIn.begin(params.connection_id, query, request)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/sso/{connection_id}/callback',
    access: 'public',
    operation_id: 'completeSsoSignIn',
    is_callback: true,
    summary: 'Complete an OpenID Connect sign-in',
    description:
      'The identity provider redirects the browser here. Completes the sign-in, or shows why it failed.',
    tag,
    params: SsoParams,
    query: Callback,
    responses: { 302: null },
    // Up to four requests to the provider, with a timeout of 5 s each.
    within_ms: 25_000,
    async handle({ params, query, request }) {
      const flow = request.cookies[cookies.flow];
      const result = await signIn.callback(params.connection_id, query, flow, request);
      return replyToCallback(cookies, result);
    },
  }),
];
