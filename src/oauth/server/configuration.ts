import { errors, interactionPolicy } from 'oidc-provider';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { z } from 'zod';
import { isRegisteredUri } from '../clients/clients.ts';
import type { SigningJwk } from '../signing-keys/signing-keys.ts';
import { createAdapter } from './adapter.ts';
import type { CookieSignatures } from './cookie-signatures.ts';
import type { ServerDependencies, ServerParts } from './dependencies.ts';
import { currentExchange } from './exchange.ts';
import { findConnection, requireClient } from './live.ts';
import { renderError } from './error-page.ts';
import { cutScope } from './scopes.ts';
import { readNow, REFRESH_SECONDS } from './store.ts';

const DAY = 86_400;
const TOKEN_SECONDS = 3_600;
/** Lifetime of the tokens of built-in clients, which have no refresh tokens. */
const BUILT_IN_TOKEN_SECONDS = 900;
const CONSENT_SECONDS = 600;
/** Error description for the client. */
const ENDED = 'The authorization has ended. Start it again.';
const CHALLENGE_REQUIRED =
  'This client requires PKCE: start the authorization with code_challenge and code_challenge_method=S256.';

/** Returns the configuration of oidc-provider (identity.md 9.1). */
export function configurationOf(
  parts: ServerParts,
  keys: readonly SigningJwk[],
  signatures: CookieSignatures,
): Configuration {
  const { publicUrl, database } = parts;
  return {
    adapter: createAdapter(parts),
    jwks: { keys: [...keys] },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      revocation: '/oauth/revoke',
      jwks: '/oauth/jwks',
    },
    scopes: [],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_post', 'none'],
    clientDefaults: { token_endpoint_auth_method: 'none' },
    // The library calls this if there is no challenge; its own error does not say what to send.
    pkce: {
      required() {
        if (requireClient().require_pkce) throw new errors.InvalidRequest(CHALLENGE_REQUIRED);
        return false;
      },
    },
    allowOmittingSingleRegisteredRedirectUri: true,
    // `settle.ts` rotates refresh tokens, in the transaction that issues an access token.
    rotateRefreshToken: false,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    loadExistingGrant: loadDecidedGrant,
    findAccount: (ctx, sub, token) => findAccount(parts, ctx, sub, token),
    interactions: {
      policy: [consentAlways()],
      url: async (_ctx, { uid }) => `/oauth/consent/${uid}`,
    },
    extraTokenClaims: async (ctx, token) => ({ cid: await connectionOf(parts, ctx, token) }),
    formats: {
      customizers: {
        // The clock of the database decides when a token expires.
        async jwt(_ctx, _token, { payload }) {
          const now = await readNow(database.pool);
          Object.assign(payload, { iat: now, exp: now + tokenSeconds() });
        },
      },
    },
    // Where a built-in client is to work: its connections are not bound to an owner's organization.
    extraParams: { organization_id: requirePlace },
    clientBasedCORS: () => true,
    renderError,
    fetch: () => Promise.reject(new TypeError('The authorization server sends no requests.')),
    clockTolerance: 0,
    cookies: { keys: signatures, short: { httpOnly: true, sameSite: 'lax', signed: true } },
    ttl: {
      AuthorizationCode: 60,
      AccessToken: tokenSeconds,
      ClientCredentials: TOKEN_SECONDS,
      RefreshToken: REFRESH_SECONDS,
      Interaction: CONSENT_SECONDS,
      Session: CONSENT_SECONDS,
      Grant: 3650 * DAY,
      IdToken: TOKEN_SECONDS,
    },
    features: featuresOf(publicUrl),
  };
}

const tokenSeconds = () =>
  requireClient().owner.kind === 'service' ? BUILT_IN_TOKEN_SECONDS : TOKEN_SECONDS;

/** Throws unless a built-in client leaves the parameter out or sends a UUID; others may send any. */
function requirePlace(_ctx: unknown, value: string | undefined): void {
  const isUsed = requireClient().owner.kind === 'service' && value !== undefined;
  if (isUsed && !z.guid().safeParse(value).success)
    throw new errors.InvalidRequest('organization_id must be a UUID');
}

function featuresOf(publicUrl: string): NonNullable<Configuration['features']> {
  const off = { enabled: false };
  return {
    devInteractions: off,
    userinfo: off,
    rpInitiatedLogout: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    clientCredentials: { enabled: true },
    revocation: {
      enabled: true,
      // Another client's token is answered as an unknown one.
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: async (_ctx, _client, oneOf) => {
        const different = [...new Set(oneOf ?? [`${publicUrl}/mcp`])];
        return different.length === 1 ? different[0]! : different;
      },
      useGrantedResource: async () => true,
      getResourceServerInfo: (ctx, resource) => resourceServer(ctx, resource, publicUrl),
    },
  };
}

/** Asks for consent at every authorization: each creates a connection of its own. */
const consentAlways = () =>
  new interactionPolicy.Prompt(
    { name: 'consent', requestable: true },
    new interactionPolicy.Check(
      'undecided',
      'the person has to sign in and decide',
      'login_required',
      (ctx) => ctx.oidc.result?.['consent'] === undefined,
    ),
  );

const grantIdOf = (ctx: KoaContextWithOIDC): string | undefined =>
  (ctx.oidc.result as { consent?: { grantId?: string } } | undefined)?.consent?.grantId;

async function loadDecidedGrant(ctx: KoaContextWithOIDC) {
  const id = grantIdOf(ctx);
  return id === undefined ? undefined : ctx.oidc.provider.Grant.find(id);
}

/** What is read of a code or a refresh token. */
interface IssuedToken {
  kind?: string | undefined;
  grantId?: string | undefined;
  redirectUri?: string | undefined;
  codeChallenge?: string | undefined;
}

/**
 * Returns the person of a connection, if it, its client and their organization are live. Throws
 * `access_denied` for an authorization whose connection has ended since the decision.
 */
async function findAccount(
  dependencies: ServerDependencies,
  ctx: KoaContextWithOIDC,
  sub: string,
  token: IssuedToken | undefined,
) {
  requireRegisteredUri(ctx, token?.redirectUri);
  requireChallenge(ctx, token);
  const id = token?.grantId ?? grantIdOf(ctx);
  const connection = id === undefined ? null : await findConnection(dependencies, id);
  if (connection === null || connection.account_id !== sub) {
    if (ctx.oidc.route === 'resume')
      throw new errors.AccessDenied(ENDED, 'the connection ended before a code was issued for it');
    return undefined;
  }
  return { accountId: sub, claims: async () => ({ sub }) };
}

/** Throws unless the client still has the redirect URI of an authorization or of its code. */
function requireRegisteredUri(ctx: KoaContextWithOIDC, ofCode: string | undefined): void {
  const isResumed = ctx.oidc.route === 'resume';
  const uri = isResumed ? (ctx.oidc.params?.['redirect_uri'] as string) : ofCode;
  if (uri === undefined || isRegisteredUri(requireClient().redirect_uris, uri)) return;
  const reason = 'the redirect URI was removed from the client';
  throw isResumed ? new errors.InvalidRedirectUri() : new errors.InvalidGrant(reason);
}

/** Throws if the client requires PKCE by now, and an authorization or its code has no challenge. */
function requireChallenge(ctx: KoaContextWithOIDC, token: IssuedToken | undefined): void {
  const isResumed = ctx.oidc.route === 'resume';
  if (!isResumed && token?.kind !== 'AuthorizationCode') return;
  const challenge = isResumed ? ctx.oidc.params?.['code_challenge'] : token?.codeChallenge;
  if (typeof challenge === 'string' || !requireClient().require_pkce) return;
  throw isResumed
    ? new errors.InvalidRequest(CHALLENGE_REQUIRED)
    : new errors.InvalidGrant(CHALLENGE_REQUIRED);
}

/** Returns the connection of an access token, and notes that the token is issued for it. */
async function connectionOf(
  { connections }: ServerDependencies,
  _ctx: KoaContextWithOIDC,
  token: { kind: string; scope?: string | undefined; grantId?: string | undefined },
): Promise<string> {
  if (token.scope === undefined || token.scope === '')
    throw new errors.InvalidScope('none of the requested scopes can be granted', '');
  const exchange = currentExchange();
  if (token.kind === 'ClientCredentials') {
    const machine = await connections.machineOf(requireClient().id);
    if (machine === null)
      throw new errors.UnauthorizedClient('the connection of this client was revoked');
    exchange.connection_id = machine.id;
  } else exchange.connection_id = token.grantId!;
  return exchange.connection_id;
}

/** Cuts the requested scopes to what the client may have, and describes the only resource. */
async function resourceServer(ctx: KoaContextWithOIDC, resource: string, publicUrl: string) {
  if (resource !== `${publicUrl}/mcp`) throw new errors.InvalidTarget();
  const ceiling = requireClient().allowed_scopes;
  const { params, route } = ctx.oidc;
  const isRequest =
    route === 'authorization' ||
    route === 'resume' ||
    params?.['grant_type'] === 'client_credentials';
  if (isRequest && params)
    params['scope'] = cutScope(params['scope'] as string | undefined, ceiling).join(' ');
  return {
    scope: ceiling.join(' '),
    audience: resource,
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: 'RS256' as const } },
  };
}
