import type { SessionPrincipal } from '../../../caller/principal.ts';
import type { Cookie, RequestFacts } from '../../../caller/route.ts';
import { messageOf } from './form.ts';
import { codeView, ssoUrlOf } from './sign-in-views.ts';
import { onwardView } from './views.ts';
import type { PageResponse, Showing, Visit } from './visit.ts';

/** Signs people in and out for the page. */
export interface PageSessionsDependencies {
  signIn: {
    password(
      fields: unknown,
      request: RequestFacts,
    ): Promise<{ cookies: readonly Cookie[] } | { pending: string; passkey: boolean } | null>;
    code(
      fields: { token: string; code: string },
      request: RequestFacts,
    ): Promise<readonly Cookie[]>;
    signOut(caller: SessionPrincipal, request: RequestFacts): Promise<readonly Cookie[]>;
  };
  /** Returns how to sign in with an address, which depends on its domain alone. */
  findSso(email: string, request: RequestFacts): Promise<{ url: string | null; required: boolean }>;
}

/** Creates the responses to a sign-in and a sign-out, which lead back to the page. */
export function createPageSessions(
  { signIn, findSso }: PageSessionsDependencies,
  showing: Showing,
) {
  const refuse = ({ visit, email }: { visit: Visit; email: string }, key: string) =>
    showing.signIn(visit, { email, message: visit.words.translate(key), status: statusOf(key) });

  /** Returns the key of the message for a password that was not accepted. */
  async function passwordKey(email: string, request: RequestFacts): Promise<string> {
    const found = await orKey(() => findSso(email, request), null);
    return 'required' in found && found.required ? 'sso_required' : 'wrong_password';
  }

  return {
    async password(visit: Visit, form: URLSearchParams): Promise<PageResponse> {
      const email = form.get('email') ?? '';
      const fields = { email, password: form.get('password') };
      const result = await orKey(() => signIn.password(fields, visit.request), 'wrong_password');
      if (result === null) return refuse({ visit, email }, 'wrong_password');
      if ('cookies' in result) return here(visit, result.cookies);
      if ('key' in result) {
        const isWrong = result.key === 'wrong_password';
        const key = isWrong ? await passwordKey(email, visit.request) : result.key;
        return refuse({ visit, email }, key);
      }
      const { pending: token, passkey } = result;
      return { status: 200, body: codeView(visit.words, { token, passkey, message: null }) };
    },
    async code(visit: Visit, form: URLSearchParams): Promise<PageResponse> {
      const [token, code] = [form.get('token') ?? '', form.get('code') ?? ''];
      const result = await orKey(async () => {
        return { cookies: await signIn.code({ token, code }, visit.request) };
      }, 'wrong_code');
      if ('cookies' in result) return here(visit, result.cookies);
      const message = visit.words.translate(result.key);
      const passkey = form.has('passkey');
      return {
        status: statusOf(result.key),
        body: codeView(visit.words, { token, passkey, message }),
      };
    },
    async sso(visit: Visit, form: URLSearchParams): Promise<PageResponse> {
      const email = form.get('email') ?? '';
      const found = await orKey(() => findSso(email, visit.request), null);
      if ('key' in found) return refuse({ visit, email }, found.key);
      if (found.url === null) return refuse({ visit, email }, 'no_sso');
      const { words, uid } = visit;
      const body = onwardView(words, words.translate('sso_title'), ssoUrlOf(found.url, uid));
      return { status: 200, body };
    },
    async signOut(visit: Visit): Promise<PageResponse> {
      const caller = await showing.callerOf(visit.request);
      return here(visit, caller === null ? [] : await signIn.signOut(caller, visit.request));
    },
  };
}

/** Returns the result of `work`, or the key of the message for an error that is the person's. */
async function orKey<Result>(
  work: () => Promise<Result>,
  unauthenticated: string | null,
): Promise<Result | { key: string }> {
  try {
    return await work();
  } catch (error) {
    const key = messageOf(error, unauthenticated);
    if (key === null) throw error;
    return { key };
  }
}

const STATUS: Readonly<Record<string, number>> = { rate_limited: 429, no_sso: 422 };
const statusOf = (key: string) => STATUS[key] ?? 401;

const here = ({ uid }: Visit, cookies: readonly Cookie[]): PageResponse => ({
  ...{ status: 303, body: '', cookies },
  headers: { location: `/oauth/consent/${uid}` },
});
