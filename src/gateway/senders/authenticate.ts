import { isInteractive } from '../../caller/access.ts';
import type { Access } from '../../caller/access.ts';
import { isSession } from '../../caller/principal.ts';
import type { AgentPrincipal, Principal, SessionPrincipal } from '../../caller/principal.ts';
import type { AddressOf } from '../../credentials/credentials.ts';
import { headerValues } from '../../platform/http/body.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import { forbidden, unauthenticated, unavailable } from '../../platform/errors/refusal.ts';
import { credentialRequired, interactiveOnly, keyAsBearer, readCredential } from './credentials.ts';
import type { Credential, RequestCredentials } from './credentials.ts';
import { requireSameSite } from '../http/same-site.ts';
import type { Origins } from '../http/same-site.ts';

export interface AuthenticateDependencies {
  /** Resolves an API key for REST, with its membership in the organization if one is named. */
  apiKey(
    secret: string,
    organizationId: string | null,
    address: AddressOf,
  ): Promise<AgentPrincipal>;
  /** Resolves an API key for MCP, in the account or organization where it works. */
  agent(secret: string, address: AddressOf): Promise<AgentPrincipal>;
  /** Resolves an OAuth access token for REST, likewise. */
  token(token: string, organizationId: string | null, address: AddressOf): Promise<AgentPrincipal>;
  /** Resolves an OAuth access token for MCP. */
  agentToken(token: string, address: AddressOf): Promise<AgentPrincipal>;
  /** Returns whether a bearer token is an OAuth access token, valid or not. */
  isAccessToken(token: string): boolean;
  /** Resolves a session, with its person's membership in the organization if one is named. */
  session(accessToken: string, organizationId: string | null): Promise<SessionPrincipal>;
  /** Resolves a session again, whether or not its access token has expired since. */
  liveSession(session: SessionPrincipal, organizationId: string | null): Promise<SessionPrincipal>;
  origins: Origins;
}

/** Resolves a request's credential to its principal with one query; throws 401, 403 or 503. */
export function createAuthenticate(dependencies: AuthenticateDependencies) {
  const { origins, isAccessToken } = dependencies;
  const apiKey = failClosed(dependencies.apiKey);
  const token = failClosed(dependencies.token);
  const agentToken = failClosed(dependencies.agentToken);
  const agent = failClosed(dependencies.agent);
  const session = failClosed(dependencies.session);
  const liveSession = failClosed(dependencies.liveSession);

  async function authenticate(
    request: RequestCredentials,
    access: Access,
    organizationId: string | null = null,
  ): Promise<Principal> {
    const { address } = request;
    const credential = readCredential(request.rawHeaders, request.cookie, access);
    if (credential.kind === 'none')
      throw credentialRequired(isInteractive(access) ? 'session' : 'either');
    if (credential.kind === 'api_key') return apiKey(credential.secret, organizationId, address);
    requireNoKey(credential);
    if (credential.kind === 'bearer' && isAccessToken(credential.token))
      return token(credential.token, organizationId, address);
    const caller = await session(credential.token, organizationId);
    if (credential.kind === 'cookie') {
      requireSameSite(request, origins);
      requireExpectedAccount(request, caller);
    }
    return caller;
  }

  /** Authenticates `/mcp`: keys and access tokens; a valid session gets 403, an invalid one 401. */
  async function authenticateMcp(request: RequestCredentials): Promise<AgentPrincipal> {
    const { address } = request;
    const credential = readCredential(request.rawHeaders, request.cookie, 'caller');
    if (credential.kind === 'none') throw credentialRequired('agent');
    if (credential.kind === 'api_key') return await agent(credential.secret, address);
    requireNoKey(credential);
    if (credential.kind === 'bearer' && isAccessToken(credential.token))
      return await agentToken(credential.token, address);
    await session(credential.token, null);
    throw forbidden(
      'session_not_accepted',
      'A session cannot use MCP. Send an API key in an X-API-Key header, or authorize an OAuth client.',
    );
  }

  return {
    authenticate,
    authenticateMcp,
    /**
     * Authenticates a request again while its response is sent or its work continues. Throws 401 if
     * its credential was revoked or has expired; a session lasts longer than its access tokens.
     */
    async authenticateAgain(
      request: RequestCredentials,
      caller: Principal,
      access: Access,
      organizationId: string | null,
    ): Promise<Principal> {
      return isSession(caller)
        ? liveSession(caller, organizationId)
        : authenticate(request, access, organizationId);
    },
    requireInteractive(caller: Principal, access: Access): void {
      if (isInteractive(access) && !isSession(caller)) throw interactiveOnly();
    },
  };
}

/**
 * Refuses a page of one account once another has signed in in the same browser: what was typed in
 * it would be saved in the other account. Pages of the dashboard send theirs with every request but
 * those of event streams, which cannot.
 */
function requireExpectedAccount(
  { rawHeaders }: RequestCredentials,
  caller: SessionPrincipal,
): void {
  const expected = headerValues(rawHeaders, 'x-account-id')[0];
  if (expected !== undefined && expected !== caller.person)
    throw unauthenticated(
      'authentication_required',
      'Another account has signed in in this browser. Sign in again.',
    );
}

/** Refuses an API key sent as a bearer token; clients learn from the message where it belongs. */
function requireNoKey(credential: Credential): void {
  if (credential.kind === 'bearer' && credential.token.startsWith('sk_')) throw keyAsBearer();
}

/** Turns any unexpected lookup error into a 503, regardless of the status that it carries. */
function failClosed<Sent extends unknown[], Who>(find: (...sent: Sent) => Promise<Who>) {
  return async (...sent: Sent): Promise<Who> => {
    try {
      return await find(...sent);
    } catch (error) {
      throw asRefusal(error) ?? unavailable('the credential could not be looked up', error);
    }
  };
}
