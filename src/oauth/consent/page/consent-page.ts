import { readFileSync } from 'node:fs';
import { createRetry } from '../../../authz/authz.ts';
import type { SessionPrincipal } from '../../../caller/principal.ts';
import type { Cookie, RequestFacts } from '../../../caller/route.ts';
import { asRefusal } from '../../../platform/errors/outage.ts';
import { preferredLanguage, translatedLanguages } from '../../../texts/languages.ts';
import { createTexts } from '../../../texts/texts.ts';
import type { Wording } from '../../../texts/texts.ts';
import { PAGE_POLICY } from '../../page/page.ts';
import type { Consent } from '../consent.ts';
import type { Offer } from '../offer.ts';
import type { Interaction } from '../../server/server.ts';
import { chosenIn, decisionIn, messageOf } from './form.ts';
import {
  backView,
  codeView,
  consentView,
  endedView,
  SCRIPT_PATH,
  signInView,
  unavailableView,
} from './views.ts';

export interface ConsentPageDependencies {
  consent: Consent;
  /** Throws 401 for a token that is not of a live session. */
  authenticate(accessToken: string, organizationId: null): Promise<SessionPrincipal>;
  sessionCookie: string;
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
  providers(): readonly { id: string; name: string }[];
}

interface PageRequest {
  accept_language: string | null;
  params: Readonly<Record<string, string>>;
  request: RequestFacts;
}

interface Visit {
  words: Wording;
  uid: string;
  request: RequestFacts;
  interaction: Interaction;
}

interface PageResponse {
  status: number;
  body: string;
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly Cookie[];
}

const RETRY_MS = 8_000;

/** Returns the page on which people decide about clients, and its script. */
export function consentPages(dependencies: ConsentPageDependencies) {
  const wordingIn = createTexts();
  const script = readFileSync(new URL('./session.js', import.meta.url), 'utf8');
  const answer = createAnswers(dependencies);

  /** Runs `work` for a request of this browser; explains what has ended or is unavailable. */
  async function visit(
    { accept_language, params, request }: PageRequest,
    work: (visit: Visit) => Promise<PageResponse>,
  ): Promise<PageResponse> {
    const language = preferredLanguage(accept_language, translatedLanguages) ?? 'en';
    const words = wordingIn('oauth', language);
    const uid = params['uid'] ?? '';
    const respond = async (): Promise<PageResponse> => {
      try {
        const interaction = await dependencies.consent.find(uid, request);
        return await work({ words, uid, request, interaction });
      } catch (error) {
        const refusal = asRefusal(error);
        if (refusal?.kind === 'absent') return { status: 404, body: endedView(words) };
        if (refusal?.kind === 'unavailable')
          return {
            status: 503,
            body: unavailableView(words, uid),
            headers: { 'retry-after': '1' },
          };
        throw error;
      }
    };
    const { headers, ...response } = await respond();
    return { ...response, headers: { ...headersIn(language), ...headers } };
  }

  return [
    {
      path: '/oauth/consent/{uid}',
      content_type: 'text/html; charset=utf-8',
      handle: (request: PageRequest) => visit(request, (one) => answer.show(one)),
      submit: (request: PageRequest & { form: URLSearchParams }) =>
        visit(request, (one) => answer.submit(one, request.form)),
    },
    {
      path: SCRIPT_PATH,
      content_type: 'text/javascript; charset=utf-8',
      handle: () => ({ status: 200, body: script }),
    },
  ];
}

const headersIn = (language: string) => ({
  'content-security-policy': PAGE_POLICY,
  'content-language': language,
  vary: 'Accept-Language, Cookie',
  // Without it, browsers send `Origin: null` with the page's own forms.
  'referrer-policy': 'same-origin',
});

/** Creates the responses to a request that waits for a decision. */
function createAnswers(dependencies: ConsentPageDependencies) {
  const { consent, signIn, sessionCookie, providers } = dependencies;
  const retry = createRetry();

  /** Returns null for a person who is not signed in. */
  async function callerOf({ cookies }: RequestFacts): Promise<SessionPrincipal | null> {
    const token = cookies[sessionCookie];
    if (token === undefined) return null;
    return dependencies.authenticate(token, null).catch((error: unknown) => {
      if (asRefusal(error)?.kind === 'unauthenticated') return null;
      throw error;
    });
  }

  async function showSignIn(visit: Visit, message: string | null, status = 200) {
    const client = await consent.clientName(visit.interaction);
    const { words, uid } = visit;
    const body = signInView(words, { client, uid, providers: providers(), message });
    return { status, body };
  }

  async function showOffer(
    { words }: Visit,
    { email }: SessionPrincipal,
    offer: Offer,
    { form, message }: { form: URLSearchParams | null; message: string | null },
  ): Promise<string> {
    const all = offer.follows_teams ? null : offer.teams.map(({ id }) => id);
    const agents = offer.refused === null ? await offer.agentsWith(offer.scopes, all) : [];
    const chosen = form === null ? null : chosenIn(form);
    return consentView(words, offer, { email, agents, chosen, message });
  }

  async function show(visit: Visit): Promise<PageResponse> {
    if (visit.interaction.is_decided) return back(visit, visit.interaction.return_to);
    const caller = await callerOf(visit.request);
    if (caller === null) return showSignIn(visit, null);
    const offer = await consent.offerFor(caller, visit.interaction);
    const options = { form: null, message: null };
    return { status: 200, body: await showOffer(visit, caller, offer, options) };
  }

  async function back(visit: Visit, to: string): Promise<PageResponse> {
    const client = await consent.clientName(visit.interaction);
    return { status: 200, body: backView(visit.words, client, to) };
  }

  const here = ({ uid }: Visit, cookies: readonly Cookie[]): PageResponse => ({
    ...{ status: 303, body: '', cookies },
    headers: { location: `/oauth/consent/${uid}` },
  });

  async function submitPassword(visit: Visit, form: URLSearchParams): Promise<PageResponse> {
    const fields = { email: form.get('email'), password: form.get('password') };
    const { words, request } = visit;
    try {
      const result = await signIn.password(fields, request);
      if (result === null) return await showSignIn(visit, words.translate('wrong_password'), 401);
      if ('cookies' in result) return here(visit, result.cookies);
      return { status: 200, body: codeView(words, { token: result.pending, message: null }) };
    } catch (error) {
      const key = messageOf(error, 'wrong_password');
      if (key === null) throw error;
      return showSignIn(visit, words.translate(key), key === 'rate_limited' ? 429 : 401);
    }
  }

  async function submitCode(visit: Visit, form: URLSearchParams): Promise<PageResponse> {
    const [token, code] = [form.get('token') ?? '', form.get('code') ?? ''];
    try {
      return here(visit, await signIn.code({ token, code }, visit.request));
    } catch (error) {
      const key = messageOf(error, 'wrong_code');
      if (key === null) throw error;
      const message = visit.words.translate(key);
      const status = key === 'rate_limited' ? 429 : 401;
      return { status, body: codeView(visit.words, { token, message }) };
    }
  }

  async function allow(visit: Visit, form: URLSearchParams): Promise<PageResponse> {
    const { uid, request, words } = visit;
    const caller = await callerOf(request);
    if (caller === null) return showSignIn(visit, null, 401);
    const offer = await consent.offerFor(caller, visit.interaction);
    const decision = decisionIn(form, offer);
    const decideAs = async (who: SessionPrincipal | null) => {
      if (who === null) return null;
      return consent.decide(who, uid, decision, request);
    };
    try {
      const decided = await retry({
        attempt: () => decideAs(caller),
        retry: async () => decideAs(await callerOf(request)),
        ...{ owner: null, until: performance.now() + RETRY_MS },
      });
      return decided === null ? await showSignIn(visit, null, 401) : await back(visit, decided.to);
    } catch (error) {
      const key = messageOf(error, null);
      if (key === null) throw error;
      const body = await showOffer(visit, caller, offer, { form, message: words.translate(key) });
      return { status: 422, body };
    }
  }

  async function submit(visit: Visit, form: URLSearchParams): Promise<PageResponse> {
    const action = form.get('action');
    if (visit.interaction.is_decided) return back(visit, visit.interaction.return_to);
    if (action === 'sign_in') return submitPassword(visit, form);
    if (action === 'second_factor') return submitCode(visit, form);
    if (action === 'allow') return allow(visit, form);
    if (action === 'deny') return back(visit, (await consent.deny(visit.uid, visit.request)).to);
    if (action !== 'sign_out') return show(visit);
    const caller = await callerOf(visit.request);
    return here(visit, caller === null ? [] : await signIn.signOut(caller, visit.request));
  }

  return { show, submit };
}
