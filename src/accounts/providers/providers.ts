import { personActor } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { Identities } from '../identities/identities.ts';
import type { NewIdentity } from '../identities/schema.ts';
import type { SecondFactorResponse } from '../second-factor/schema.ts';
import { isSecondFactorRequired } from '../sign-in/complete-sign-in.ts';
import { createProviderRedirect } from './redirect.ts';
import type { CallbackResult } from './replies.ts';
import type { Person, Provider } from './provider.ts';
import { codeOf, reasonOf, returningTo, SignInRefused } from './refused.ts';
import { isOwnPage, returnUrl } from './return-path.ts';
import type { Callback, ProviderList, RefusedReason, Start } from './schema.ts';
import { markEmailRequested } from '../store.ts';
import { consumeFlow } from './store.ts';
import type { Flow } from './store.ts';

export { buildSignInUrl, configure, discover, redeem } from './openid.ts';
export { replyToCallback, replyToStart } from './replies.ts';
export type { CallbackResult } from './replies.ts';
export type { ProviderRedirect } from './redirect.ts';
export { codeOf, reasonOf, returningTo, SignInRefused } from './refused.ts';
export { readReturnPath, returnUrl } from './return-path.ts';

type ProvidersParts = AccountsParts & {
  providers: readonly Provider[];
  identities: Identities;
};

/** Builds URLs of the page that shows why a sign-in failed; it leads back to a page of the gateway. */
export const refusedPageAt =
  (publicUrl: string) =>
  (reason: RefusedReason, return_path: string | null = null): string => {
    const isBack = return_path !== null && isOwnPage(return_path);
    const back = isBack ? `&return_path=${encodeURIComponent(return_path)}` : '';
    return `${publicUrl}/sign-in/refused#reason=${reason}${back}`;
  };

/** Builds URLs of the pages a sign-in may continue on. A fragment is not sent to any server. */
const pagesAt = (publicUrl: string) => ({
  factorPage: ({ token, methods }: SecondFactorResponse['second_factor'], path: string) =>
    `${publicUrl}/sign-in/second-factor#token=${token}` +
    `&methods=${methods.join(',')}&return_path=${encodeURIComponent(path)}`,
  emailPage: (path: string) => `${publicUrl}/sign-in/email#return_path=${encodeURIComponent(path)}`,
});

/** Handles the redirect to a provider and its callback; `identities` determines the account. */
export function createProviders(parts: ProvidersParts) {
  const { database, config } = parts;
  const byId = new Map(parts.providers.map((provider) => [provider.id, provider]));
  const refusedPage = refusedPageAt(config.PUBLIC_URL);
  const { start, startLink } = createProviderRedirect({ ...parts, refusedPage });
  const complete = createCompletion(parts);
  const recordRefusal = createRefusalRecord(parts);

  const requireProvider = (id: string): Provider => {
    const provider = byId.get(id);
    if (provider === undefined) throw absent('no such provider is configured');
    return provider;
  };

  async function takeFlow(
    provider: string,
    { state }: Callback,
    flowCookie: string | undefined,
  ): Promise<Flow> {
    if (flowCookie === undefined || state === undefined) throw new SignInRefused('expired');
    const id_hash = hashSecret(flowCookie);
    const state_hash = hashSecret(state);
    const flow = await consumeFlow(database.pool, { id_hash, provider, state_hash });
    if (flow === null) throw new SignInRefused('expired');
    return flow;
  }

  return {
    list: (): ProviderList => ({
      data: parts.providers.map(({ id, name }) => ({ id, name })),
      next_cursor: null,
    }),
    start: (id: string, { return_path }: Start, request: RequestFacts) =>
      start({ provider: requireProvider(id), return_path, request }),
    /** Starts linking a provider to the caller's account. */
    async startLink(caller: SessionPrincipal, body: NewIdentity, request: RequestFacts) {
      const provider = byId.get(body.provider);
      return startLink(caller, { provider, return_path: body.return_path, request });
    },
    async finish(
      id: string,
      callback: Callback,
      flowCookie: string | undefined,
      request: RequestFacts,
    ): Promise<CallbackResult> {
      const provider = requireProvider(id);
      try {
        const flow = await takeFlow(id, callback, flowCookie);
        return await returningTo(flow.return_path, () =>
          complete(provider, callback, flow, request),
        );
      } catch (error) {
        if (!(error instanceof SignInRefused)) throw error;
        await recordRefusal(id, error, request);
        return { location: refusedPage(error.reason, error.return_path), signedIn: null };
      }
    },
  };
}
export type Providers = ReturnType<typeof createProviders>;

/** Creates the function that completes the sign-in, or the link, that a flow was started for. */
function createCompletion(parts: ProvidersParts) {
  const { database, config, identities } = parts;
  const { factorPage, emailPage } = pagesAt(config.PUBLIC_URL);
  const identify = createIdentify(parts);
  return async function complete(
    provider: Provider,
    callback: Callback,
    flow: Flow,
    request: RequestFacts,
  ): Promise<CallbackResult> {
    requireNoError(callback);
    const person = await identify(provider, callback, flow);
    const authenticated = { provider, person, request };
    const location = returnUrl(flow.return_path, config);
    if (flow.session_id !== null) {
      await identities.attach(authenticated, flow.session_id);
      return { location, signedIn: null };
    }
    const result = await identities.signIn(authenticated);
    if (isSecondFactorRequired(result)) {
      const page = factorPage(result.second_factor, flow.return_path);
      return { location: page, signedIn: null };
    }
    // The person is signed in already: if this fails, a later sign-in asks for the address.
    const requested = markEmailRequested(database.pool, result.account).catch(() => false);
    const next = (await requested) ? emailPage(flow.return_path) : location;
    return { location: next, signedIn: result };
  };
}

/** Throws if the provider redirected with an error. */
export function requireNoError({ error }: Pick<Callback, 'error'>): void {
  if (error === 'access_denied') throw new SignInRefused('denied');
  if (error !== undefined) throw new SignInRefused('provider_unavailable');
}

/** Redeems the callback at the provider, with times checked against the database's clock. */
function createIdentify({ log }: Pick<AccountsParts, 'log'>) {
  return async function identify(
    provider: Provider,
    { state = '', code, iss }: Callback,
    flow: Flow,
  ): Promise<Person> {
    const clock_skew = flow.now - Math.floor(Date.now() / 1_000);
    try {
      return await provider.identify({ state, code, iss }, { ...flow, clock_skew });
    } catch (error) {
      const reason = reasonOf(error);
      const facts = { provider: provider.id, code: codeOf(error) };
      if (reason === null)
        log.error({ ...facts, err: error }, 'third-party sign-in failed with an internal error');
      else log.warn(facts, 'response of a sign-in provider rejected');
      throw new SignInRefused(reason ?? 'failed');
    }
  };
}

const RECORDED = new Set<RefusedReason>(['failed', 'sso_required', 'link_in_session']);

/** Records rejected sign-ins in the audit log, but not those that the person or an outage ended. */
function createRefusalRecord({ database, audit }: Pick<AccountsParts, 'database' | 'audit'>) {
  return async function record(provider: string, refusal: SignInRefused, request: RequestFacts) {
    const { reason, account_id } = refusal;
    if (!RECORDED.has(reason)) return;
    await audit.record(database.pool, {
      actor: personActor(account_id, request),
      action: 'session.refuse',
      outcome: 'refused',
      scope: account_id === null ? null : { kind: 'account', id: account_id },
      detail: { provider, reason },
    });
  };
}
