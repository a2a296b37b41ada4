import type { AgentPrincipal } from '../caller/principal.ts';
import type { Database } from '../platform/postgres/database.ts';
import { createAuthenticator } from './authenticate.ts';
import type { AuthenticatorDependencies } from './authenticate.ts';
import { readCredentials, readCredentialsById, readCredentialState } from './store.ts';
import type { Credential, CredentialState } from './store.ts';

export { accountColumns, membershipColumn, principalOf } from './principal.ts';
export type { PrincipalRow } from './principal.ts';

/** Credentials of agents: resolves secrets, and reads principals again while a stream is open. */
export interface Credentials {
  /** Throws 401 unless this is the secret of a usable credential. */
  authenticate(secret: string): Promise<AgentPrincipal>;
  /** Returns the current principals by credential id; null for one that is no longer valid. */
  readAgain(
    principals: readonly AgentPrincipal[],
  ): Promise<ReadonlyMap<string, AgentPrincipal | null>>;
  /**
   * Returns a credential, usable or not, with the state that decides it; null if it never existed.
   */
  find(id: string): Promise<(Credential & { state: CredentialState }) | null>;
}

export function createCredentials(dependencies: {
  database: Pick<Database, 'hot'>;
  used: AuthenticatorDependencies['used'];
}): Credentials {
  const { hot } = dependencies.database;
  return {
    authenticate: createAuthenticator({
      read: (hashes) => readCredentials(hot, hashes),
      used: dependencies.used,
    }),
    async readAgain(principals) {
      const ids = principals.map(({ credential }) => credential.id);
      const found = await readCredentialsById(hot, ids);
      return new Map(
        ids.map((id) => {
          const credential = found.get(id);
          return [id, credential?.usable ? credential.principal : null];
        }),
      );
    },
    async find(id) {
      const [found, state] = await Promise.all([
        readCredentialsById(hot, [id]),
        readCredentialState(hot, id),
      ]);
      const credential = found.get(id);
      return credential === undefined || state === null ? null : { ...credential, state };
    },
  };
}
