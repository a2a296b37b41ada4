import { isInteractive } from '../caller/access.ts';
import type { Access } from '../caller/access.ts';
import { isSession } from '../caller/principal.ts';
import type { AgentPrincipal, Principal, SessionPrincipal } from '../caller/principal.ts';

import { asRefusal } from '../platform/errors/outage.ts';
import { forbidden, unavailable } from '../platform/errors/refusal.ts';
import { interactiveOnly, missing, readCredential } from './credentials.ts';
import type { RequestCredentials } from './credentials.ts';
import { requireSameSite } from './same-site.ts';
import type { Origins } from './same-site.ts';

export interface AuthenticateDependencies {
  apiKey(secret: string): Promise<AgentPrincipal>;
  session(accessToken: string): Promise<SessionPrincipal>;
  origins: Origins;
}

/** Who asks: one query, no header read after it. Throws 401, 403 or 503; never an identity. */
export function createAuthenticate(dependencies: AuthenticateDependencies) {
  const { origins } = dependencies;
  const apiKey = closed(dependencies.apiKey);
  const session = closed(dependencies.session);

  async function authenticate(request: RequestCredentials, access: Access): Promise<Principal> {
    const credential = readCredential(request.rawHeaders, request.cookie, access);
    if (credential.kind === 'none') throw missing(isInteractive(access) ? 'session' : 'either');
    if (credential.kind === 'api_key') return apiKey(credential.secret);
    const caller = await session(credential.token);
    if (credential.kind === 'cookie') requireSameSite(request, origins);
    return caller;
  }

  /** `/mcp`: keys; a dashboard session that is valid gets 403, one that is not 401. */
  async function authenticateMcp(request: RequestCredentials): Promise<AgentPrincipal> {
    const credential = readCredential(request.rawHeaders, request.cookie, 'caller');
    if (credential.kind === 'none') throw missing('key');
    if (credential.kind === 'api_key') return await apiKey(credential.secret);
    await session(credential.token);
    throw forbidden(
      'session_not_accepted',
      'A session cannot use MCP. Create an API key and send it as X-API-Key.',
    );
  }

  return {
    authenticate,
    authenticateMcp,
    requireInteractive(caller: Principal, access: Access): void {
      if (isInteractive(access) && !isSession(caller)) throw interactiveOnly();
    },
  };
}

/** Whatever goes wrong while the caller is being found out is an outage, with no status of its own. */
function closed<Who>(find: (credential: string) => Promise<Who>) {
  return async (credential: string): Promise<Who> => {
    try {
      return await find(credential);
    } catch (error) {
      throw asRefusal(error) ?? unavailable('whom a credential stands for is not known', error);
    }
  };
}
