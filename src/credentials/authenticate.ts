import type { AgentPrincipal } from '../caller/principal.ts';
import { createBatchedRead } from '../platform/concurrency/grouped.ts';
import { invalidCredential, unavailable } from '../platform/errors/refusal.ts';
import { hexHashOf } from '../platform/secrets.ts';
import { queryKey } from './store.ts';
import type { Credential } from './store.ts';

// Secrets have 39 characters; anything much longer is rejected before hashing.
const SECRET_LENGTH = 256;

export interface AuthenticatorDependencies {
  /** Reads the credentials of several `queryKey`s in one query on the primary. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Credential>>;
  /** Ends a member's seats in deleted teams. */
  removeDeletedSeats(membership_id: string): Promise<void>;
  /** Called on use of a credential whose last recorded use is missing or a minute old. */
  onUse(id: string): void;
}

/**
 * Creates the functions that resolve a secret to its principal. The read always starts after the
 * call, so that no revocation is missed. The secret is hashed, never parsed, and every invalid
 * secret is rejected with the same 401. Requests resolved by one read share one principal object,
 * so that values derived from it can also be shared.
 */
export function createAuthenticator({
  read,
  removeDeletedSeats,
  onUse,
}: AuthenticatorDependencies) {
  const readGrouped = createBatchedRead({ read });

  async function find(secret: string, organization_id: string | null): Promise<Credential> {
    if (secret.length > SECRET_LENGTH) throw invalidCredential('longer than any secret');
    const found = await readGrouped(queryKey({ hash: hexHashOf(secret), organization_id }));
    if (found === null) throw invalidCredential('unknown');
    const { usable, used_recently, principal } = found;
    if (!usable) throw invalidCredential('revoked, expired, or its account is deactivated');
    if (!used_recently) onUse(principal.credential.id);
    return found;
  }

  return {
    async authenticate(secret: string): Promise<AgentPrincipal> {
      const found = await find(secret, null);
      if (found.membership_with_deleted_seats === null) return found.principal;
      await removeDeletedSeats(found.membership_with_deleted_seats);
      const reread = await find(secret, null);
      if (reread.membership_with_deleted_seats !== null)
        throw unavailable('seats in a deleted team have not been removed yet');
      return reread.principal;
    },
    authenticateForRest: async (
      secret: string,
      organization_id: string | null,
    ): Promise<AgentPrincipal> => (await find(secret, organization_id)).restPrincipal,
  };
}
