import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { OptionsResponse, PasskeySignIn, PasskeySignInOptions } from '../passkeys/schema.ts';
import { SecondFactor, SecondFactorToken } from '../second-factor/schema.ts';
import { signInReply, sessionReply } from './reply.ts';
import { LoginResponse, SessionResponse, SignIn } from './schema.ts';

const tag = 'Sign-in';

/** Routes for sign-in by password or passkey, and for the second factor of a pending sign-in. */
export const signInRoutes = (accounts: SignInParts): Route[] => [
  ...passwordRoutes(accounts),
  ...passkeyRoutes(accounts),
];

type SignInParts = Pick<Accounts, 'signIn' | 'factors' | 'cookies'>;

const passwordRoutes = ({ signIn, factors, cookies }: SignInParts): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/login',
    access: 'public',
    operation_id: 'signIn',
    summary: 'Sign in with a password',
    description: 'Returns a session, or asks for a second factor with a token for the next step.',
    tag,
    body: SignIn,
    responses: { 200: LoginResponse },
    errors: { 401: ['authentication_error'], 429: ['rate_limited'] },
    browser_only: true,
    handle: async ({ body, request }) => signInReply(cookies, await signIn(body, request)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/login/second-factor',
    access: 'public',
    operation_id: 'completeSignIn',
    summary: 'Complete a sign-in',
    tag,
    body: SecondFactor,
    responses: { 200: SessionResponse },
    errors: {
      401: ['authentication_error'],
      422: ['secret_unreadable'],
      429: ['rate_limited'],
    },
    browser_only: true,
    handle: async ({ body, request }) => sessionReply(cookies, await factors.submit(body, request)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/login/second-factor/options',
    access: 'public',
    operation_id: 'getSecondFactorOptions',
    summary: 'Get second factor passkey options',
    tag,
    body: SecondFactorToken,
    responses: { 200: OptionsResponse },
    errors: { 401: ['authentication_error'] },
    browser_only: true,
    handle: async ({ body }) => ok({ options: await factors.options(body.token) }),
  }),
];

const passkeyRoutes = ({ factors, cookies }: SignInParts): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/passkey/options',
    access: 'public',
    operation_id: 'getPasskeySignInOptions',
    summary: 'Get passkey sign-in options',
    description: 'They are the same for every account, so they do not reveal who has a passkey.',
    tag,
    responses: { 200: PasskeySignInOptions },
    errors: { 429: ['rate_limited'] },
    browser_only: true,
    handle: async ({ request }) => ok(await factors.passkeySignIn.options(request)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/passkey',
    access: 'public',
    operation_id: 'signInWithPasskey',
    summary: 'Sign in with a passkey',
    description: 'Needs no password and no second factor.',
    tag,
    body: PasskeySignIn,
    responses: { 200: SessionResponse },
    errors: { 401: ['authentication_error'], 429: ['rate_limited'] },
    browser_only: true,
    handle: async ({ body, request }) =>
      sessionReply(cookies, await factors.passkeySignIn.signIn(body, request)),
  }),
];
