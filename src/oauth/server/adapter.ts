import { errors } from 'oidc-provider';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { hashSecret } from '../../platform/secrets.ts';
import { metadataOf } from './client-metadata.ts';
import type { ServerDependencies, ServerParts } from './dependencies.ts';
import { currentExchange } from './exchange.ts';
import { findClient, findConnection } from './live.ts';
import { deleteArtifact, findArtifact, saveArtifact } from './store.ts';
import type { Payload } from './store.ts';

/** Any lifetime works for a model that is never stored. */
const FALLBACK_SECONDS = 600;

export const keyOf = (model: string, id: string) => ({ model, id_hash: hashSecret(id) });

/** Returns what oidc-provider stores its models with. Access tokens are JWTs and not stored. */
export const createAdapter =
  (parts: ServerParts) =>
  (model: string): Adapter => {
    if (model === 'Client') return clientAdapter(parts);
    if (model === 'Grant') return grantAdapter(parts);
    if (model === 'Session') return readOnly(async () => undefined);
    return artifactAdapter(parts, model);
  };

/** An adapter whose models are never written by oidc-provider. */
const readOnly = (find: Adapter['find']): Adapter => ({
  find,
  upsert: async () => {},
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
});

const clientAdapter = (dependencies: ServerDependencies): Adapter =>
  readOnly(async (id) => {
    const client = await findClient(dependencies, id);
    return client === null ? undefined : metadataOf(client);
  });

/** A grant is a connection; the consent page creates it. */
function grantAdapter(dependencies: ServerDependencies): Adapter {
  const find = async (id: string) => {
    const connection = await findConnection(dependencies, id);
    return connection === null ? undefined : grantOf(connection, dependencies.publicUrl);
  };
  return {
    ...readOnly(find),
    // Called for a used code or refresh token, and for a revoked one.
    async destroy(id) {
      currentExchange().revoked_id = id;
    },
  };
}

const DISTANT = 10_000_000_000;

const grantOf = (
  {
    id,
    client_id,
    account_id,
    scopes,
  }: { id: string; client_id: string } & {
    account_id: string | null;
    scopes: readonly string[];
  },
  publicUrl: string,
): AdapterPayload => ({
  jti: id,
  kind: 'Grant',
  accountId: account_id!,
  clientId: client_id,
  iat: 0,
  // It ends with the connection, never by time.
  exp: DISTANT,
  resources: { [`${publicUrl}/mcp`]: scopes.join(' ') },
});

/** Throws if an authorization request contains a character that PostgreSQL cannot store. */
function requireStorable({ params }: AdapterPayload): void {
  const values: unknown[] = Object.values(params ?? {});
  if (values.some((value) => typeof value === 'string' && value.includes('\0')))
    throw new errors.InvalidRequest('parameters must not contain NUL characters');
}

function artifactAdapter({ database, refreshTokens }: ServerParts, model: string): Adapter {
  /** A refresh token that was used may be sent again within the leeway. */
  const mayBeReused = async (id: string) =>
    model === 'RefreshToken' && (await refreshTokens.successorOf(database.pool, id)) !== null;
  return {
    ...readOnly(async (id) => {
      const found = await findArtifact(database.pool, keyOf(model, id));
      if (found === null) return undefined;
      const isSpent = found.is_consumed && !(await mayBeReused(id));
      const now = Math.floor(Date.now() / 1_000);
      return {
        ...found.payload,
        jti: id,
        // Database time has decided; this makes the library's clock agree.
        iat: now,
        exp: now + found.remaining,
        ...(isSpent ? { consumed: 1 } : {}),
      };
    }),
    async upsert(id, { jti: _jti, ...payload }, lifetime = FALLBACK_SECONDS) {
      requireStorable(payload);
      const connection_id = payload.grantId ?? null;
      const artifact = {
        ...keyOf(model, id),
        payload: payload as Payload,
        connection_id,
        lifetime,
      };
      if (model === 'RefreshToken') currentExchange().saved.push(artifact);
      else if (!(await saveArtifact(database.pool, artifact)))
        throw new errors.AccessDenied(undefined, 'the connection was revoked');
    },
    async consume(id) {
      currentExchange().consumed = keyOf(model, id);
    },
    async destroy(id) {
      // A code or refresh token ends with its connection.
      if (model !== 'Interaction') return;
      if (!(await deleteArtifact(database.pool, keyOf(model, id))))
        throw new errors.SessionNotFound('the authorization request was already completed');
    },
  };
}
