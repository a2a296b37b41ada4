import type { AgentPrincipal } from '../caller/principal.ts';
import { invalidCredential } from '../platform/errors/refusal.ts';
import { hexHashOf } from '../platform/secrets.ts';
import { createResolver } from './resolve.ts';
import type { AddressOf, ResolverDependencies } from './resolve.ts';
import { queryKey } from './store.ts';

// Secrets have 39 characters; anything much longer is rejected before hashing.
const SECRET_LENGTH = 256;

/**
 * Creates the functions that resolve a secret to its principal; `read` takes `queryKey`s. The
 * secret is hashed, never parsed.
 */
export function createAuthenticator(dependencies: ResolverDependencies) {
  const { forMcp, forRest } = createResolver(dependencies);

  function keyOf(secret: string) {
    if (secret.length > SECRET_LENGTH) throw invalidCredential('longer than any secret');
    const hash = hexHashOf(secret);
    return (organization_id: string | null) => queryKey({ hash, organization_id });
  }

  return {
    authenticate: async (secret: string, address: AddressOf): Promise<AgentPrincipal> =>
      forMcp(keyOf(secret), address),
    authenticateForRest: async (
      secret: string,
      organization_id: string | null,
      address: AddressOf,
    ): Promise<AgentPrincipal> => forRest(keyOf(secret), { organization_id, address }),
  };
}
