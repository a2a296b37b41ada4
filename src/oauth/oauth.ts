import { createClients } from './clients/clients.ts';
import type { Clients, ClientsDependencies } from './clients/clients.ts';

export type { OAuthClient } from './clients/clients.ts';

/** The OAuth 2.1 authorization server: its clients, and what people authorized them for. */
export interface OAuth {
  clients: Clients;
}

export function createOAuth(dependencies: ClientsDependencies): OAuth {
  return { clients: createClients(dependencies) };
}
