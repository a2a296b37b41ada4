import { createClients } from './clients/clients.ts';
import type { Clients, ClientsDependencies } from './clients/clients.ts';
import { createConnections } from './connections/connections.ts';
import type { Connections, ConnectionsDependencies } from './connections/connections.ts';
import { createSigningKeys } from './signing-keys/signing-keys.ts';
import type { SigningKeys, SigningKeysDependencies } from './signing-keys/signing-keys.ts';

export type { OAuthClient } from './clients/clients.ts';

/** The OAuth 2.1 authorization server: its clients, and what people authorized them for. */
export interface OAuth {
  clients: Clients;
  connections: Connections;
  signingKeys: SigningKeys;
}

export type OAuthDependencies = Omit<ClientsDependencies, 'connections'> &
  ConnectionsDependencies &
  SigningKeysDependencies;

export function createOAuth(dependencies: OAuthDependencies): OAuth {
  const connections = createConnections(dependencies);
  const clients = createClients({ ...dependencies, connections });
  return { clients, connections, signingKeys: createSigningKeys(dependencies) };
}
