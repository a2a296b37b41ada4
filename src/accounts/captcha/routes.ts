import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { CaptchaChallenge } from './schema.ts';

export const captchaRoutes = ({ challenge }: Pick<Accounts, 'challenge'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/auth/captcha',
    access: 'public',
    operation_id: 'getCaptchaChallenge',
    summary: 'Get a CAPTCHA challenge',
    description:
      'Solve a challenge of `altcha` with its widget or `solveChallenge` of `altcha-lib` 2. Of other providers, show the widget.',
    tag: 'Sign-up',
    responses: { 200: CaptchaChallenge },
    errors: { 429: ['rate_limited'] },
    handle: async ({ request }) => ok(await challenge(request)),
  }),
];
