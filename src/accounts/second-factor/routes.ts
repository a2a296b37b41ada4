import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { answerSession } from '../sign-in/answer.ts';
import { SessionAnswer } from '../sign-in/schema.ts';
import { OptionsAnswer } from '../passkeys/schema.ts';
import { FactorState, SecondFactor, SecondFactorToken } from './schema.ts';

export const secondFactorRoutes = ({
  factors,
  cookies,
}: Pick<Accounts, 'factors' | 'cookies'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/login/second-factor',
    access: 'public',
    summary: 'Ends a sign-in that waits for its second factor.',
    tag: 'Account',
    body: SecondFactor,
    responses: { 200: SessionAnswer },
    browser_only: true,
    handle: async ({ body, request }) =>
      answerSession(cookies, await factors.answer(body, request)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/login/second-factor/options',
    access: 'public',
    summary: 'What a passkey is asked to sign as the second factor.',
    tag: 'Account',
    body: SecondFactorToken,
    responses: { 200: OptionsAnswer },
    browser_only: true,
    handle: async ({ body }) => ok({ options: await factors.options(body.token) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/user/second-factors',
    access: { interactive: 'manage_account' },
    summary: 'What the account proves itself by beside its password.',
    tag: 'Account',
    responses: { 200: FactorState },
    handle: async ({ caller }) => ok(await factors.state(caller)),
  }),
];
