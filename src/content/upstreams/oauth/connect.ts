import * as client from 'openid-client';
import type { CustomFetch } from 'openid-client';
import type { SessionPrincipal } from '../../../caller/principal.ts';
import { newId } from '../../../platform/ids.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { absent, conflict } from '../../../platform/errors/refusal.ts';
import { hashSecret, newToken } from '../../../platform/secrets.ts';
import { configure, obtainClient } from './client.ts';
import type { OAuthClient, OwnAddresses } from './client.ts';
import type { Discovered } from './discovery.ts';
import { orAuthorizationFailed } from './failure.ts';
import type { Sealed } from './sealed.ts';
import type { ConnectionKind } from './schema.ts';
import { claimIssuer, findSettings, insertFlow, saveRegistered } from './store.ts';
import type { Settings } from './store.ts';

/** An upstream at which a person connects an account. */
export interface ConnectedUpstream {
  id: string;
  url: string;
  /** The account that the person is about to connect: the space's, or their own. */
  connection: ConnectionKind;
}

export interface ConnectDependencies {
  pool: Queryable;
  sealed: Sealed;
  fetch: CustomFetch;
  own: OwnAddresses;
  discover(url: string, approved: string | null): Promise<Discovered>;
}

/** Creates the function that begins an authorization in the browser of a session. */
export function createConnect({ pool, sealed, fetch, own, discover }: ConnectDependencies) {
  /**
   * Throws 409 unless the authorization server is the approved one, or the first. Returns the settings
   * with the client that belongs to it: another one may have been approved during the discovery.
   */
  async function requireApproved(upstream_id: string, issuer: string): Promise<Settings> {
    const settings = await claimIssuer(pool, upstream_id, issuer);
    if (settings === null) throw absent('the upstream was removed');
    if (settings.issuer === issuer) return settings;
    throw conflict(
      'issuer_changed',
      'The server names another authorization server than the approved one. Approve it first.',
      { detail: { issuer, approved: settings.issuer } },
    );
  }

  async function clientFor(
    upstream_id: string,
    { client_id, client_secret }: Settings,
    { server }: Discovered,
  ): Promise<OAuthClient> {
    if (client_id !== null) return sealed.unsealClient(upstream_id, client_id, client_secret);
    const { isRegistered, ...obtained } = await obtainClient(server, own, fetch);
    if (isRegistered)
      await saveRegistered(pool, upstream_id, {
        client_id: obtained.client_id,
        sealed: sealed.sealClient(upstream_id, obtained),
        issuer: server.issuer,
      });
    return obtained;
  }

  return async function connect(
    caller: SessionPrincipal,
    { id, url, connection }: ConnectedUpstream,
  ) {
    const before = await findSettings(pool, id);
    if (before === null) throw absent('the upstream has no OAuth');
    return orAuthorizationFailed(async () => {
      const discovered = await discover(url, before.issuer);
      const { server, resource } = discovered;
      const settings = await requireApproved(id, server.issuer);
      const as = await clientFor(id, settings, discovered);
      const [state, verifier, flow_id] = [newToken(), newToken(), newId()];
      const scopes = requestedScopes(settings, discovered);
      const location = client.buildAuthorizationUrl(configure(server, as, fetch), {
        redirect_uri: own.redirect_uri,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        resource,
        ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
        ...(scopes.includes(OFFLINE) ? { prompt: 'consent' } : {}),
      });
      const { client_id, client_secret } = as;
      const flow = {
        ...{ id: flow_id, state_hash: hashSecret(state), upstream_id: id, url, resource, server },
        ...{ account_id: caller.person, session_id: caller.credential.id, scopes },
        sealed: sealed.sealFlow(flow_id, { client_id, client_secret, verifier }),
      };
      if (!(await insertFlow(pool, flow, connection)))
        throw absent('the upstream was changed meanwhile');
      return { authorization_url: location.href };
    });
  };
}

const OFFLINE = 'offline_access';

/** Asks for a refresh token too where the authorization server has a scope for that. */
function requestedScopes(settings: Settings, { scopes, server }: Discovered): string[] {
  const named = settings.scopes.length > 0 ? settings.scopes : scopes;
  const offline = server.scopes_supported?.includes(OFFLINE) === true ? [OFFLINE] : [];
  return [...new Set([...named, ...offline])];
}
