import type { SessionPrincipal } from '../../caller/principal.ts';
import type { Cookie, RequestFacts } from '../../caller/route.ts';
import type { Factors } from '../second-factor/factors.ts';
import { clearedCookies, sessionCookies } from '../sessions/cookies.ts';
import type { CookieNames } from '../sessions/cookies.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { isSecondFactorRequired } from './complete-sign-in.ts';
import type { SignInResult } from './complete-sign-in.ts';
import { SignIn } from './schema.ts';

/**
 * Cookies of the new session, or the token of a sign-in that needs a second factor, and whether a
 * passkey of the account can be it on this page.
 */
export type PageSignInResult =
  | { cookies: readonly Cookie[] }
  | { pending: string; passkey: boolean };

/** Sign-in for pages that work without a script, by the rules of sign-in over JSON. */
export interface PageSignIn {
  /** Whether pages of the gateway can use passkeys. */
  passkeys: boolean;
  /** Returns null for fields that no account can have. Throws 401 and 429. */
  password(fields: unknown, request: RequestFacts): Promise<PageSignInResult | null>;
  /** Throws 401 and 429. */
  code(fields: { token: string; code: string }, request: RequestFacts): Promise<readonly Cookie[]>;
  /** Ends the session, and returns cookies that delete its own. */
  signOut(caller: SessionPrincipal, request: RequestFacts): Promise<readonly Cookie[]>;
}

interface PageSignInDependencies {
  cookies: CookieNames;
  sessions: Pick<Sessions, 'end'>;
  signIn(body: SignIn, request: RequestFacts): Promise<SignInResult>;
  factors: Pick<Factors, 'submit' | 'passkeySignIn'>;
}

export const createPageSignIn = (dependencies: PageSignInDependencies): PageSignIn => {
  const { cookies, sessions, factors } = dependencies;
  const passkeys = factors.passkeySignIn.worksOnPages;
  return {
    passkeys,
    async password(fields, request) {
      const parsed = SignIn.safeParse(fields);
      if (!parsed.success) return null;
      const result = await dependencies.signIn(parsed.data, request);
      if (!isSecondFactorRequired(result))
        return { cookies: sessionCookies(cookies, result.session) };
      const { token, methods } = result.second_factor;
      return { pending: token, passkey: passkeys && methods.includes('passkey') };
    },
    async code({ token, code }, request) {
      const { session } = await factors.submit({ token, code }, request);
      return sessionCookies(cookies, session);
    },
    async signOut(caller, request) {
      await sessions.end(caller, request);
      return clearedCookies(cookies);
    },
  };
};
