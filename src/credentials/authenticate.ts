import type { AgentPrincipal } from '../caller/principal.ts';
import { createGrouped } from '../platform/concurrency/grouped.ts';
import { invalidCredential } from '../platform/errors/refusal.ts';
import { hexHashOf } from '../platform/secrets.ts';
import type { Credential } from './store.ts';

// Secrets have 39 characters; anything much longer is rejected before hashing.
const SECRET_LENGTH = 256;

export interface AuthenticatorDependencies {
  /** Reads several hex hashes in one query on the primary. */
  read(hashes: readonly string[]): Promise<ReadonlyMap<string, Credential>>;
  /** Called on use of a credential whose last recorded use is missing or a minute old. */
  used(id: string): void;
}

/**
 * Creates `authenticate`, which resolves a secret to its principal by a read that starts after the
 * call. The secret is hashed, never parsed, and every invalid secret is rejected with the same 401.
 * Requests resolved by one read share one principal object, so that values derived from it can also
 * be shared.
 */
export function createAuthenticator({ read, used }: AuthenticatorDependencies) {
  const readGrouped = createGrouped({ read });

  return async function authenticate(secret: string): Promise<AgentPrincipal> {
    if (secret.length > SECRET_LENGTH) throw invalidCredential('longer than any secret');
    const found = await readGrouped(hexHashOf(secret));
    if (found === null) throw invalidCredential('unknown');
    const { usable, used_lately, principal } = found;
    if (!usable) throw invalidCredential('revoked, expired, or its account is deactivated');
    if (!used_lately) used(principal.credential.id);
    return principal;
  };
}
