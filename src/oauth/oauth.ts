import { createClients } from './clients/clients.ts';
import type { ClientsDependencies } from './clients/clients.ts';
import { createConnections } from './connections/connections.ts';
import type { ConnectionsDependencies } from './connections/connections.ts';
import { createConsent } from './consent/consent.ts';
import type { ConsentDependencies } from './consent/consent.ts';
import { createAuthorizationServer } from './server/server.ts';
import type { ServerDependencies } from './server/server.ts';
import { createSigningKeys } from './signing-keys/signing-keys.ts';
import type { SigningKeysDependencies } from './signing-keys/signing-keys.ts';

export type OAuthDependencies = Omit<ClientsDependencies, 'connections'> &
  ConnectionsDependencies &
  SigningKeysDependencies &
  Pick<ConsentDependencies, 'authz' | 'delegation' | 'visibility'> &
  Pick<
    ServerDependencies,
    'database' | 'limitForm' | 'log' | 'publicUrl' | 'refreshLeewaySeconds' | 'secrets'
  >;

const SWEEP_MS = 3_600_000;

/** Creates the OAuth 2.1 authorization server: its clients, and what people authorized them for. */
export function createOAuth(dependencies: OAuthDependencies) {
  const { database, log } = dependencies;
  const connections = createConnections(dependencies);
  const clients = createClients({ ...dependencies, connections });
  const signingKeys = createSigningKeys(dependencies);
  const server = createAuthorizationServer({ ...dependencies, clients, connections, signingKeys });
  const { interactions } = server;
  const sweep = () =>
    server.sweep(database.pool).catch((error: unknown) => {
      log.warn({ err: error }, 'sweep of OAuth artifacts failed; next attempt in an hour');
    });
  let timer: NodeJS.Timeout | undefined;
  return {
    ...{ clients, connections, signingKeys, server },
    consent: createConsent({ ...dependencies, clients, connections, interactions }),
    start() {
      connections.start();
      timer ??= setInterval(() => void sweep(), SWEEP_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await connections.stop();
    },
  };
}
export type OAuth = ReturnType<typeof createOAuth>;
