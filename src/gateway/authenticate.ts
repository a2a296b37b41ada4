import type { Caller, KeyCaller, SessionCaller } from '../caller/caller.ts';
import type { Access } from '../caller/route.ts';
import { forbidden } from '../platform/refusal.ts';
import { interactiveOnly, missing, readCredential } from './credentials.ts';
import type { RequestCredentials } from './credentials.ts';
import { requireSameSite } from './same-site.ts';
import type { Origins } from './same-site.ts';

export interface AuthenticateDependencies {
  apiKey(secret: string): Promise<KeyCaller>;
  session(accessToken: string): Promise<SessionCaller>;
  origins: Origins;
}

/** Who asks: one query, no header read after it. Throws 401, 403 or 503; never an identity. */
export function createAuthenticate(dependencies: AuthenticateDependencies) {
  const { apiKey, session, origins } = dependencies;

  async function authenticate(request: RequestCredentials, access: Access): Promise<Caller> {
    const credential = readCredential(request.rawHeaders, request.cookie, access);
    if (credential.kind === 'none') throw missing();
    if (credential.kind === 'api_key') return apiKey(credential.secret);
    const caller = await session(credential.token);
    if (credential.kind === 'cookie') requireSameSite(request, origins);
    return caller;
  }

  /** `/mcp`: keys; a dashboard session that is valid gets 403, one that is not 401. */
  async function authenticateMcp(request: RequestCredentials): Promise<KeyCaller> {
    const credential = readCredential(request.rawHeaders, request.cookie, 'caller');
    if (credential.kind === 'none') throw missing();
    if (credential.kind === 'api_key') return apiKey(credential.secret);
    await session(credential.token);
    throw forbidden(
      'session_not_accepted',
      'A dashboard session cannot use MCP. Create an API key and send it as X-API-Key.',
    );
  }

  return {
    authenticate,
    authenticateMcp,
    requireInteractive(caller: Caller, access: Access): void {
      if (access === 'interactive' && caller.kind !== 'session') throw interactiveOnly();
    },
  };
}
