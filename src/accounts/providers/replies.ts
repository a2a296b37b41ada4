import { redirect } from '../../caller/route.ts';
import { clearedFlowCookie, flowCookie, sessionCookies } from '../sessions/cookies.ts';
import type { CookieNames } from '../sessions/cookies.ts';
import type { SignInSuccess } from '../sign-in/complete-sign-in.ts';
import type { ProviderRedirect } from './redirect.ts';

/** Result of a provider's callback; `signedIn` is null unless it completed a sign-in. */
export interface CallbackResult {
  location: string;
  signedIn: SignInSuccess | null;
}

/** Redirects to the provider, with the cookie of the flow. */
export const replyToStart = (names: CookieNames, { location, flow }: ProviderRedirect) => ({
  ...redirect(location),
  cookies: flow === null ? [] : [flowCookie(names, flow)],
});

/** Redirects after the callback, with the cookies of the session, if one was opened. */
export const replyToCallback = (names: CookieNames, { location, signedIn }: CallbackResult) => ({
  ...redirect(location),
  cookies: [
    clearedFlowCookie(names),
    ...(signedIn === null ? [] : sessionCookies(names, signedIn.session)),
  ],
});
