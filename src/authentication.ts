import type { Connections } from './connections.ts';
import { isAccessToken } from './credentials/credentials.ts';
import { createAuthenticate } from './gateway/senders/authenticate.ts';
import type { Parts } from './parts.ts';

/** Creates the authentication of requests by session, key or access token. */
export function createAuthentication(
  { tracing }: Pick<Connections, 'tracing'>,
  { credentials, accounts }: Pick<Parts, 'credentials' | 'accounts'>,
  origins: ReadonlySet<string>,
) {
  return createAuthenticate({
    apiKey: tracing.wrap('authenticate', credentials.authenticateForRest),
    agent: tracing.wrap('authenticate', credentials.authenticate),
    token: tracing.wrap('authenticate', credentials.authenticateTokenForRest),
    agentToken: tracing.wrap('authenticate', credentials.authenticateToken),
    isAccessToken,
    session: tracing.wrap('authenticate', accounts.sessions.authenticate),
    liveSession: accounts.sessions.reread,
    origins,
  });
}
