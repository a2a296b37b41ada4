import type { AgentPrincipal } from '../caller/principal.ts';
import { createGrouped } from '../platform/concurrency/grouped.ts';
import { asRefusal } from '../platform/errors/outage.ts';
import { unauthenticated, unavailable } from '../platform/errors/refusal.ts';
import { hexHashOf } from '../platform/secrets.ts';
import type { Credential } from './store.ts';

// A secret has 39; the rest of a header's size is nothing worth hashing.
const SECRET_LENGTH = 256;

export interface AuthenticatorDependencies {
  /** One query on the primary for several hashes, in hex. */
  read(hashes: readonly string[]): Promise<ReadonlyMap<string, Credential>>;
  /** Called at each use of a credential whose last one is not written or a minute old. */
  used(id: string): void;
}

/**
 * Finds the principal of a secret by one read that starts after the question. The text is hashed,
 * never parsed. It throws 401 or 503 and nothing else; every bad secret gets the same 401. Requests
 * that one read let in get one principal, so that what follows from it can be shared too.
 */
export function createAuthenticator({ read, used }: AuthenticatorDependencies) {
  const ask = createGrouped({ read });

  return async function authenticate(secret: string): Promise<AgentPrincipal> {
    if (secret.length > SECRET_LENGTH) throw invalid('longer than any secret');
    let known: Credential | null;
    try {
      known = await ask(hexHashOf(secret));
    } catch (error) {
      throw asRefusal(error) ?? unavailable('credentials cannot be read', error);
    }
    if (known === null) throw invalid('unknown');
    const { usable, used_lately, principal } = known;
    if (!usable) throw invalid('revoked, expired, or of a deactivated account');
    if (!used_lately) used(principal.credential.id);
    return principal;
  };
}

const invalid = (reason: string) =>
  unauthenticated('invalid_credential', 'The credential is not valid.', { reason });
