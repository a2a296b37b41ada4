import {
  readReturnPath,
  refusedPageAt,
  SignInRefused,
} from '../../accounts/providers/providers.ts';
import type { ProviderRedirect } from '../../accounts/providers/providers.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import { hashSecret, newToken } from '../../platform/secrets.ts';
import type { SsoDependencies } from '../dependencies.ts';
import type { Protocols } from '../protocols.ts';
import { takeTestLink } from '../testing/store.ts';
import type { ProtocolStep } from './refusal.ts';
import type { StartSso } from './schema.ts';
import { insertFlow } from './store.ts';

type BeginDependencies = Pick<SsoDependencies, 'accounts' | 'database' | 'config' | 'limitForm'> & {
  protocols: Protocols;
  protocolStep: ProtocolStep;
};

/** Creates the function that redirects a browser to the identity provider of a connection. */
export function createBegin(dependencies: BeginDependencies) {
  const { accounts, database, config, limitForm, protocols, protocolStep } = dependencies;
  const { pool } = database;
  const refusedPage = refusedPageAt(config.PUBLIC_URL);

  /** The page on which the person decides whether to sign in at the provider. */
  const askAt = (sso: string, to: string) =>
    `${config.DASHBOARD_URL}/sign-in?${new URLSearchParams({ sso, to }).toString()}`;

  const returnPathOf = ({ return_path }: StartSso) =>
    readReturnPath(return_path, config.DASHBOARD_URL);

  /**
   * Returns who tests the connection, if there is a link, and where to return to. Only the person
   * who requested the link may open it: a test shows that they themselves can sign in.
   */
  async function readPurpose(connection_id: string, query: StartSso, request: RequestFacts) {
    const { test } = query;
    if (test === undefined) return { tested_by: null, return_path: returnPathOf(query) };
    const caller = await accounts.findSignedIn(request);
    if (caller === null) throw new SignInRefused('expired');
    const key = { connection_id, account_id: caller.person, token_hash: hashSecret(test) };
    const link = await takeTestLink(pool, key);
    if (link === null) throw new SignInRefused('expired');
    return { tested_by: caller.person, return_path: link.return_path };
  }

  async function redirect(
    connection_id: string,
    query: StartSso,
    request: RequestFacts,
  ): Promise<ProviderRedirect> {
    const row = await protocols.require(connection_id);
    await limitForm('third_party', { address: request.address });
    const purpose = await readPurpose(connection_id, query, request);
    const flow = newToken();
    const secrets = {
      ...{ state: newToken(), nonce: newToken(), verifier: newToken() },
      // An XML ID must not begin with a digit.
      request_id: `_${newToken()}`,
    };
    const url = await protocolStep(connection_id, () => protocols.begin(row, secrets));
    if (!/^https?:$/.test(url.protocol)) throw new SignInRefused('provider_unavailable');
    const { state, ...stored } = secrets;
    await insertFlow(pool, {
      ...{ ...stored, ...purpose, connection_id },
      ...{ id_hash: hashSecret(flow), state_hash: hashSecret(state) },
    });
    return { location: url.href, flow };
  }

  /** It is a browser navigation, so failures redirect to the refused page. */
  return async function begin(
    connection_id: string,
    query: StartSso,
    request: RequestFacts,
  ): Promise<ProviderRedirect> {
    // A provider that answers by itself would otherwise end the session of the person, and sign
    // them in to an account that another site chose.
    if (request.from_elsewhere && query.test === undefined)
      return { location: askAt(connection_id, returnPathOf(query)), flow: null };
    try {
      return await redirect(connection_id, query, request);
    } catch (error) {
      const back = returnPathOf(query);
      if (error instanceof SignInRefused)
        return { location: refusedPage(error.reason, back), flow: null };
      if (isRefusal(error) && error.kind === 'limited')
        return { location: refusedPage('rate_limited', back), flow: null };
      throw error;
    }
  };
}
