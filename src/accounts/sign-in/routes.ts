import { defineRoute } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { answerEntry } from './answer.ts';
import { LoginAnswer, SignIn } from './schema.ts';

export const signInRoutes = (accounts: Pick<Accounts, 'signIn' | 'cookies'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/login',
    access: 'public',
    summary: 'Signs in with a password; a session, or the question for a second factor.',
    tag: 'Account',
    body: SignIn,
    responses: { 200: LoginAnswer },
    browser_only: true,
    handle: async ({ body, request }) =>
      answerEntry(accounts.cookies, await accounts.signIn(body, request)),
  }),
];
