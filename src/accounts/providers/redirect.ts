import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { isRefusal, unavailable, unprocessable } from '../../platform/errors/refusal.ts';
import { hashSecret, newToken } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { Provider } from './provider.ts';
import { codeOf, reasonOf } from './refused.ts';
import { readReturnPath } from './return-path.ts';
import type { RefusedReason } from './schema.ts';
import { insertFlow } from './store.ts';

/**
 * A redirect of the browser; `flow` is the secret of its flow cookie, null if it leads to the
 * refused page.
 */
export interface ProviderRedirect {
  location: string;
  flow: string | null;
}

export interface RedirectRequest {
  provider: Provider;
  return_path: string | undefined;
  request: RequestFacts;
}

/** Redirects browsers to providers. */
export function createProviderRedirect(
  parts: AccountsParts & { refusedPage(reason: RefusedReason, return_path: string): string },
) {
  const { database, config, limitForm, log, refusedPage } = parts;

  const returnPathOf = ({ return_path }: Pick<RedirectRequest, 'return_path'>) =>
    readReturnPath(return_path, config.DASHBOARD_URL);

  async function redirectTo(redirect: RedirectRequest, session_id: string | null) {
    const { provider, request } = redirect;
    await limitForm('third_party', { address: request.address });
    const secrets = { state: newToken(), nonce: newToken(), verifier: newToken() };
    const url = await provider.authorizationUrl(secrets);
    const flow = newToken();
    await insertFlow(database.pool, {
      id_hash: hashSecret(flow),
      provider: provider.id,
      state_hash: hashSecret(secrets.state),
      nonce: secrets.nonce,
      verifier: secrets.verifier,
      return_path: returnPathOf(redirect),
      session_id,
    });
    return { location: url.href, flow };
  }

  return {
    /** Starts a sign-in. It is a browser navigation, so failures redirect to the refused page. */
    async start(redirect: RedirectRequest): Promise<ProviderRedirect> {
      try {
        return await redirectTo(redirect, null);
      } catch (error) {
        if (isRefusal(error) && error.kind === 'limited')
          return { location: refusedPage('rate_limited', returnPathOf(redirect)), flow: null };
        if (reasonOf(error) === null) throw error;
        log.warn(
          { provider: redirect.provider.id, code: codeOf(error) },
          'sign-in provider unreachable',
        );
        return {
          location: refusedPage('provider_unavailable', returnPathOf(redirect)),
          flow: null,
        };
      }
    },
    /**
     * Starts linking a provider to the caller's account. A script calls this, so failures are
     * thrown.
     */
    async startLink(
      caller: SessionPrincipal,
      redirect: Omit<RedirectRequest, 'provider'> & { provider: Provider | undefined },
    ): Promise<{ location: string; flow: string }> {
      const { provider } = redirect;
      if (provider === undefined)
        throw unprocessable('unknown_provider', 'The provider does not exist.', {
          detail: { pointer: '/provider' },
        });
      try {
        return await redirectTo({ ...redirect, provider }, caller.credential.id);
      } catch (error) {
        throw reasonOf(error) === null ? error : unavailable('sign-in provider unreachable', error);
      }
    },
  };
}
