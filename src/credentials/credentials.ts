import { isOutside } from '../caller/principal.ts';
import type { AgentPrincipal } from '../caller/principal.ts';
import type { Database } from '../platform/postgres/database.ts';
import { createAuthenticator } from './authenticate.ts';
import type { AuthenticatorDependencies } from './authenticate.ts';
import { readCredentials, readCredentialsById, readCredentialState } from './store.ts';
import type { Credential, CredentialState } from './store.ts';

export { accountColumns, membershipOf, principalOf } from './principal.ts';
export type { PrincipalRow } from './principal.ts';

/** Resolves agent credentials by their secrets, and rereads principals while a stream is open. */
export interface Credentials {
  /** Returns the principal for MCP requests; throws 401 unless the secret is valid and usable. */
  authenticate(secret: string): Promise<AgentPrincipal>;
  /**
   * Returns the principal for REST requests: in the person's account, and in the organization that
   * the request names.
   */
  authenticateForRest(secret: string, organization_id: string | null): Promise<AgentPrincipal>;
  /** Returns the current principals by credential id; null if one may no longer use MCP. */
  reread(
    principals: readonly AgentPrincipal[],
  ): Promise<ReadonlyMap<string, AgentPrincipal | null>>;
  /**
   * Returns a credential, usable or not, with the state behind `usable`; null if it never existed.
   */
  find(id: string): Promise<(Credential & { state: CredentialState }) | null>;
  /** Returns the principals of credentials by id, usable or not; unknown ids are missing. */
  principalsOf(ids: readonly string[]): Promise<ReadonlyMap<string, AgentPrincipal>>;
}

/** Returns whether the rows allow a credential to use MCP; OpenFGA decides everything else. */
const mayConnect = ({ usable, principal }: Credential): boolean =>
  usable && !isOutside(principal) && principal.organization?.status !== 'suspended';

export function createCredentials(dependencies: {
  database: Pick<Database, 'authPool'>;
  used: AuthenticatorDependencies['onUse'];
  removeDeletedSeats: AuthenticatorDependencies['removeDeletedSeats'];
}): Credentials {
  const { removeDeletedSeats, used: onUse } = dependencies;
  const { authPool } = dependencies.database;
  return {
    ...createAuthenticator({
      read: (keys) => readCredentials(authPool, keys),
      ...{ removeDeletedSeats, onUse },
    }),
    async reread(principals) {
      const ids = principals.map(({ credential }) => credential.id);
      const found = await readCredentialsById(authPool, ids);
      return new Map(
        ids.map((id) => {
          const credential = found.get(id);
          return [id, credential && mayConnect(credential) ? credential.principal : null];
        }),
      );
    },
    async find(id) {
      const [found, state] = await Promise.all([
        readCredentialsById(authPool, [id]),
        readCredentialState(authPool, id),
      ]);
      const credential = found.get(id);
      return credential === undefined || state === null ? null : { ...credential, state };
    },
    async principalsOf(ids) {
      const found =
        ids.length === 0 ? new Map<string, Credential>() : await readCredentialsById(authPool, ids);
      return new Map([...found].map(([id, { principal }]) => [id, principal]));
    },
  };
}
