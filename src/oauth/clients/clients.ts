import type { Database } from '../../platform/postgres/database.ts';
import { secretMatches } from './secrets/secrets.ts';
import { findClientById } from './store.ts';
import type { OAuthClient } from './store.ts';

export type { OAuthClient } from './store.ts';

/** Operations on OAuth clients, for the authorization server and over REST. */
export interface Clients {
  /** Returns a client as it is now, even if disabled; null if it does not exist. */
  find(id: string): Promise<OAuthClient | null>;
  /** Returns whether this is a secret of the client, and records its use. */
  secretMatches(client_id: string, secret: string): Promise<boolean>;
}

export interface ClientsDependencies {
  database: Database;
}

export function createClients({ database: { pool } }: ClientsDependencies): Clients {
  return {
    find: (id) => findClientById(pool, id),
    secretMatches: (client_id, secret) => secretMatches(pool, client_id, secret),
  };
}
