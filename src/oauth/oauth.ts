import { createClients } from './clients/clients.ts';
import type { Clients, ClientsDependencies } from './clients/clients.ts';
import { createConnections } from './connections/connections.ts';
import type { Connections, ConnectionsDependencies } from './connections/connections.ts';

export type { OAuthClient } from './clients/clients.ts';

/** The OAuth 2.1 authorization server: its clients, and what people authorized them for. */
export interface OAuth {
  clients: Clients;
  connections: Connections;
}

export function createOAuth(dependencies: ClientsDependencies & ConnectionsDependencies): OAuth {
  return {
    clients: createClients(dependencies),
    connections: createConnections(dependencies),
  };
}
