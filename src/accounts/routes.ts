import { defineRoute, noContent, ok } from '../caller/route.ts';
import type { Reply, Route } from '../caller/route.ts';
import type { Accounts } from './accounts.ts';
import {
  Account,
  Challenge,
  Registration,
  RegistrationAnswer,
  Resend,
  ResendAnswer,
  SessionAnswer,
  SignIn,
  Verification,
  VerificationAnswer,
} from './schema.ts';
import { clearedCookies, sessionCookies } from './sessions/cookies.ts';
import { accessSeconds } from './sessions/tokens.ts';
import type { SignedIn } from './sign-in.ts';

const tag = 'Account';

export const accountRoutes = (accounts: Accounts): Route[] => [
  ...signUpRoutes(accounts),
  ...sessionRoutes(accounts),
  defineRoute({
    method: 'GET',
    path: '/api/user/profile',
    access: 'interactive',
    summary: 'The signed-in account.',
    tag,
    responses: { 200: Account },
    handle: async ({ caller }) => ok(await accounts.profile(caller)),
  }),
];

const signUpRoutes = (accounts: Accounts): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/auth/captcha',
    access: 'public',
    summary: 'A challenge for the CAPTCHA widget; its solution counts once.',
    tag,
    responses: { 200: Challenge },
    handle: async ({ request }) => ok(await accounts.challenge(request)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/register',
    access: 'public',
    summary: 'Registers; the same answer whether or not the address is known.',
    tag,
    body: Registration,
    responses: { 201: RegistrationAnswer },
    async handle({ body, request }) {
      await accounts.register(body, request);
      return { status: 201, body: { status: 'verification_sent' } };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/resend-verification',
    access: 'public',
    summary: 'Asks for another verification letter; 200 means accepted and nothing more.',
    tag,
    body: Resend,
    responses: { 200: ResendAnswer },
    async handle({ body, request }) {
      await accounts.resend(body, request);
      return ok({ status: 'accepted' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/verify-email',
    access: 'public',
    summary: 'Verifies the address a link was sent to. Does not sign in.',
    tag,
    body: Verification,
    responses: { 200: VerificationAnswer },
    async handle({ body, request }) {
      await accounts.verify(body.token, request);
      return ok({ status: 'verified' });
    },
  }),
];

const sessionRoutes = (accounts: Accounts): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/login',
    access: 'public',
    summary: 'Signs in with a password.',
    tag,
    body: SignIn,
    responses: { 200: SessionAnswer },
    browser_only: true,
    handle: async ({ body, request }) =>
      answerSession(accounts, await accounts.signIn(body, request)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/refresh',
    access: 'public',
    summary: 'Renews the session from its refresh cookie.',
    tag,
    responses: { 200: SessionAnswer },
    browser_only: true,
    handle: async ({ request }) =>
      answerSession(
        accounts,
        await accounts.refresh(request.cookies[accounts.cookies.refresh], request),
      ),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/logout',
    access: 'interactive',
    summary: 'Signs out: this session ends at once.',
    tag,
    responses: { 204: null },
    async handle({ caller, request }) {
      await accounts.sessions.end(caller, request);
      return { ...noContent(), cookies: clearedCookies(accounts.cookies) };
    },
  }),
];

function answerSession(accounts: Accounts, { session, account }: SignedIn): Reply {
  const body: SessionAnswer = {
    access_token: session.access_token,
    token_type: 'Bearer',
    expires_in: accessSeconds,
    user: account,
  };
  return { ...ok(body), cookies: sessionCookies(accounts.cookies, session) };
}
