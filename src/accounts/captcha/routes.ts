import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { CaptchaChallenge } from './schema.ts';

export const captchaRoutes = ({ challenge }: Pick<Accounts, 'challenge'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/auth/captcha',
    access: 'public',
    summary: 'What the CAPTCHA widget of a form needs; the token it makes counts once.',
    tag: 'Account',
    responses: { 200: CaptchaChallenge },
    handle: async ({ request }) => ok(await challenge(request)),
  }),
];
