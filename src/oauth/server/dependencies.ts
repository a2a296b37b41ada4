import type { Authority } from '../../caller/actor.ts';
import type { FormKey, FormKind } from '../../limits/limits.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Queryable, Database } from '../../platform/postgres/database.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Clients } from '../clients/clients.ts';
import type { SigningKeys } from '../signing-keys/signing-keys.ts';
import type { RefreshTokens } from './refresh-tokens.ts';

/** A connection whose client, person and organization may use it now. */
export interface LiveConnection {
  id: string;
  client_id: string;
  account_id: string | null;
  scopes: readonly string[];
}

/** The operations on connections that the authorization server needs. */
export interface ServerConnections {
  findLive(id: string): Promise<LiveConnection | null>;
  machineOf(client_id: string): Promise<Pick<LiveConnection, 'id' | 'scopes'> | null>;
  /** Records that a token is issued; false if the connection was revoked. */
  activate(id: string, transaction: Queryable): Promise<boolean>;
  revoke(
    ids: readonly string[],
    authority: Authority,
    reason: 'connection.revoke' | 'connection.replay',
  ): Promise<void>;
}

export interface ServerDependencies {
  database: Pick<Database, 'pool' | 'transaction'>;
  secrets: Pick<Secrets, 'subkeys'>;
  signingKeys: Pick<SigningKeys, 'current'>;
  clients: Pick<Clients, 'find' | 'secretMatches'>;
  connections: ServerConnections;
  /** Origin of the issuer. */
  publicUrl: string;
  /** Seconds after its first use in which a refresh token may be sent again. */
  refreshLeewaySeconds: number;
  /** Consumes one point of a form's limit, or throws 429. */
  limitForm(kind: FormKind, key: FormKey): Promise<void>;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
}

export type ServerParts = ServerDependencies & { refreshTokens: RefreshTokens };
