import { ok } from '../../caller/route.ts';
import type { Reply } from '../../caller/route.ts';
import type { CookieNames } from '../sessions/cookies.ts';
import { sessionCookies } from '../sessions/cookies.ts';
import { accessSeconds } from '../sessions/tokens.ts';
import { isSecondFactorRequired } from './complete-sign-in.ts';
import type { SignInResult, SignInSuccess } from './complete-sign-in.ts';
import type { SecondFactorResponse } from '../second-factor/schema.ts';
import type { SessionResponse } from './schema.ts';

/** Builds the response of a session: the access token in the body, both tokens as cookies. */
export function sessionReply(
  cookies: CookieNames,
  { session, account }: SignInSuccess,
): Reply<200, SessionResponse> {
  const body: SessionResponse = {
    access_token: session.access_token,
    token_type: 'Bearer',
    expires_in: accessSeconds,
    user: account,
  };
  return { ...ok(body), cookies: sessionCookies(cookies, session) };
}

/** Builds the response of a sign-in; it sets no cookie while a second factor is pending. */
export const signInReply = (
  cookies: CookieNames,
  result: SignInResult,
): Reply<200, SecondFactorResponse | SessionResponse> =>
  isSecondFactorRequired(result) ? ok(result) : sessionReply(cookies, result);
