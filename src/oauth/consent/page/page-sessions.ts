import type { SessionPrincipal } from '../../../caller/principal.ts';
import type { Cookie, RequestFacts } from '../../../caller/route.ts';
import { messageOf } from './form.ts';
import { codeView } from './views.ts';
import type { PageResponse, Showing, Visit } from './visit.ts';

/** Signs people in and out for the page. */
export interface PageSessionsDependencies {
  signIn: {
    password(
      fields: unknown,
      request: RequestFacts,
    ): Promise<{ cookies: readonly Cookie[] } | { pending: string } | null>;
    code(
      fields: { token: string; code: string },
      request: RequestFacts,
    ): Promise<readonly Cookie[]>;
    signOut(caller: SessionPrincipal, request: RequestFacts): Promise<readonly Cookie[]>;
  };
}

/** Creates the responses to a sign-in and a sign-out, which lead back to the page. */
export function createPageSessions({ signIn }: PageSessionsDependencies, showing: Showing) {
  return {
    async password(visit: Visit, form: URLSearchParams): Promise<PageResponse> {
      const fields = { email: form.get('email'), password: form.get('password') };
      const { words, request } = visit;
      try {
        const result = await signIn.password(fields, request);
        if (result === null)
          return await showing.signIn(visit, words.translate('wrong_password'), 401);
        if ('cookies' in result) return here(visit, result.cookies);
        return { status: 200, body: codeView(words, { token: result.pending, message: null }) };
      } catch (error) {
        const key = messageOf(error, 'wrong_password');
        if (key === null) throw error;
        return showing.signIn(visit, words.translate(key), statusOf(key));
      }
    },
    async code(visit: Visit, form: URLSearchParams): Promise<PageResponse> {
      const [token, code] = [form.get('token') ?? '', form.get('code') ?? ''];
      try {
        return here(visit, await signIn.code({ token, code }, visit.request));
      } catch (error) {
        const key = messageOf(error, 'wrong_code');
        if (key === null) throw error;
        const message = visit.words.translate(key);
        return { status: statusOf(key), body: codeView(visit.words, { token, message }) };
      }
    },
    async signOut(visit: Visit): Promise<PageResponse> {
      const caller = await showing.callerOf(visit.request);
      return here(visit, caller === null ? [] : await signIn.signOut(caller, visit.request));
    },
  };
}

const statusOf = (key: string) => (key === 'rate_limited' ? 429 : 401);

const here = ({ uid }: Visit, cookies: readonly Cookie[]): PageResponse => ({
  ...{ status: 303, body: '', cookies },
  headers: { location: `/oauth/consent/${uid}` },
});
