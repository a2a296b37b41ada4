import { authenticatedBy, isOutside, tokenGrantOf } from '../caller/principal.ts';
import type { AgentPrincipal } from '../caller/principal.ts';
import { isAllowedAddress, isOutsideHours } from '../caller/restrictions/restrictions.ts';
import type { Database } from '../platform/postgres/database.ts';
import { createAuthenticator } from './authenticate.ts';

import type { Credential } from './credential.ts';
import type { AddressOf, ResolverDependencies } from './resolve.ts';
import { createCredentialsReader, readCredentialsById, readCredentialState } from './store.ts';
import type { CredentialState } from './store.ts';
import { createTokenAuthenticator } from './tokens/authenticate.ts';
import { connectionKey, createConnectionReader, readConnectionState } from './tokens/store.ts';
import type { TokenVerifierDependencies } from './tokens/verify.ts';

export { accountColumns, membershipOf, principalOf } from './principal.ts';
export type { PrincipalRow } from './principal.ts';
export type { Credential } from './credential.ts';
export { addressesValue, hoursValue, restrictionChanges } from './restriction-columns.ts';
export { lockForCredential } from './creation.ts';
export { createUseRecorder } from './use-recorder.ts';
export type { AddressOf } from './resolve.ts';
export { isAccessToken } from './tokens/verify.ts';

/**
 * Resolves agent credentials by their secrets or access tokens, and rereads principals while a
 * stream is open.
 */
export interface Credentials {
  /** Returns the principal for MCP requests; throws 401 unless the secret is valid and usable. */
  authenticate(secret: string, address: AddressOf): Promise<AgentPrincipal>;
  /**
   * Returns the principal for REST requests: in the person's account, and in the organization that
   * the request names.
   */
  authenticateForRest(
    secret: string,
    organization_id: string | null,
    address: AddressOf,
  ): Promise<AgentPrincipal>;
  /** Returns the principal of an OAuth access token for MCP requests; throws 401 if it is invalid. */
  authenticateToken(token: string, address: AddressOf): Promise<AgentPrincipal>;
  /** Returns the principal of an OAuth access token for REST requests. */
  authenticateTokenForRest(
    token: string,
    organization_id: string | null,
    address: AddressOf,
  ): Promise<AgentPrincipal>;
  /** Returns whether a credential works at an address, for streams that stay open. */
  worksAt(principal: AgentPrincipal, address: AddressOf): boolean;
  /** Returns the current principals by `authenticatedBy`; null if one may no longer use MCP. */
  reread(
    principals: readonly AgentPrincipal[],
  ): Promise<ReadonlyMap<string, AgentPrincipal | null>>;
  /**
   * Returns a credential, usable or not, with the state behind `usable`; null if it never existed.
   */
  find(id: string): Promise<FoundCredential | null>;
  /**
   * Returns credentials by id, usable or not; unknown ids are missing. Their REST principals are those
   * of requests that name the organization.
   */
  findAll(
    ids: readonly string[],
    organization_id?: string | null,
  ): Promise<ReadonlyMap<string, Credential>>;
}

export type FoundCredential = Credential & {
  state: CredentialState;
};

export interface CredentialsDependencies extends Omit<
  ResolverDependencies,
  'read' | 'onUse' | 'onRefused'
> {
  database: Pick<Database, 'authPool'>;
  /** Called on use of a key, or of a connection, whose last recorded use is a minute old. */
  used: ResolverDependencies['onUse'];
  connectionUsed: ResolverDependencies['onUse'];
  refused: ResolverDependencies['onRefused'];
  tokens: TokenVerifierDependencies;
}

/**
 * Returns whether the rows allow a credential to use MCP now; OpenFGA decides everything else. A
 * suspended organization changes no tuple, so only its row refuses requests.
 */
export const isAdmitted = ({ usable, principal }: Pick<Credential, 'usable' | 'principal'>) =>
  usable && principal.organization?.status !== 'suspended';

/**
 * Returns whether the stream of a credential may stay open. A connection that must be narrowed first
 * may not: its stream ends, and its next request narrows it.
 */
const mayStayConnected = (credential: Credential): boolean =>
  isAdmitted(credential) &&
  !isOutsideHours(credential.principal.restrictions?.hours ?? null, credential.read_at) &&
  !credential.has_teams_beyond_client &&
  !isOutside(credential.principal);

export function createCredentials(dependencies: CredentialsDependencies): Credentials {
  const { removeDeletedSeats, narrow, used: onUse, refused: onRefused } = dependencies;
  const { authPool } = dependencies.database;
  const readConnections = createConnectionReader(authPool);
  const readers = createReaders(authPool, readConnections);
  return {
    ...createAuthenticator({
      read: createCredentialsReader(authPool),
      ...{ removeDeletedSeats, narrow, onUse, onRefused },
    }),
    ...createTokenAuthenticator(
      {
        ...{ read: readConnections, removeDeletedSeats, narrow, onRefused },
        onUse: dependencies.connectionUsed,
      },
      dependencies.tokens,
    ),
    worksAt: ({ restrictions }, address) => {
      const networks = restrictions?.allowed_addresses ?? null;
      return networks === null || isAllowedAddress(networks, address());
    },
    async reread(principals) {
      const found = await readers.current(principals);
      return new Map(
        principals.map((principal) => {
          const credential = found.get(principal);
          return [
            authenticatedBy(principal),
            credential && mayStayConnected(credential) ? credential.principal : null,
          ];
        }),
      );
    },
    async find(id) {
      const [found, state] = await Promise.all([
        readers.byId([id], null),
        readCredentialState(authPool, id).then((key) => key ?? readConnectionState(authPool, id)),
      ]);
      const credential = found.get(id);
      return credential === undefined || state === null ? null : { ...credential, state };
    },
    findAll: findFrom(readers),
  };
}

/** Creates `findAll` alone, for reads in a transaction. */
export const createCredentialFinder = (queries: Database['authPool']): Credentials['findAll'] =>
  findFrom(createReaders(queries, createConnectionReader(queries)));

const findFrom =
  ({ byId }: Pick<ReturnType<typeof createReaders>, 'byId'>): Credentials['findAll'] =>
  async (ids, organization_id = null) =>
    ids.length === 0 ? NONE : byId(ids, organization_id);

type ReadConnections = ReturnType<typeof createConnectionReader>;

/** Creates the functions that read credentials of both kinds by their ids. */
function createReaders(authPool: Database['authPool'], readConnections: ReadConnections) {
  const connectionsById = async (ids: readonly string[], organization_id: string | null) => {
    const keys = ids.map((connection_id) =>
      connectionKey({ connection_id, organization_id, token: null }),
    );
    const found = await readConnections(keys);
    return new Map(ids.flatMap((id, index) => entryOf(id, found.get(keys[index]!))));
  };
  return {
    async byId(
      ids: readonly string[],
      organization_id: string | null,
    ): Promise<ReadonlyMap<string, Credential>> {
      const keys = await readCredentialsById(authPool, ids, organization_id);
      const others = ids.filter((id) => !keys.has(id));
      if (others.length === 0) return keys;
      return new Map([...keys, ...(await connectionsById(others, organization_id))]);
    },
    /** Rereads each principal; an OAuth principal is limited to what its access token grants. */
    async current(
      principals: readonly AgentPrincipal[],
    ): Promise<ReadonlyMap<AgentPrincipal, Credential>> {
      const queries = principals.map((principal) => {
        const oauth = tokenGrantOf(principal);
        const { id } = principal.credential;
        const query = { connection_id: id, organization_id: null, token: oauth?.token ?? null };
        return { principal, id, key: oauth && connectionKey(query) };
      });
      const ids = queries.filter(({ key }) => key === null).map(({ id }) => id);
      const keys = queries.flatMap(({ key }) => key ?? []);
      const [byId, byKey] = await Promise.all([
        ids.length === 0 ? NONE : readCredentialsById(authPool, ids),
        keys.length === 0 ? NONE : readConnections(keys),
      ]);
      return new Map(
        queries.flatMap(({ principal, id, key }) =>
          entryOf(principal, key === null ? byId.get(id) : byKey.get(key)),
        ),
      );
    },
  };
}

const NONE: ReadonlyMap<string, Credential> = new Map();
const entryOf = <Key>(key: Key, found: Credential | undefined): [Key, Credential][] =>
  found === undefined ? [] : [[key, found]];
