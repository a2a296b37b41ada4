import { tokenGrantOf } from '../../caller/principal.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import { createResolver } from '../resolve.ts';
import type { AddressOf, ResolverDependencies } from '../resolve.ts';
import { connectionKey } from './store.ts';
import { createTokenVerifier } from './verify.ts';
import type { TokenClaims, TokenVerifierDependencies } from './verify.ts';

/**
 * Creates the functions that resolve an OAuth access token to the principal of its connection;
 * `read` takes `connectionKey`s.
 */
export function createTokenAuthenticator(
  dependencies: ResolverDependencies,
  tokens: TokenVerifierDependencies,
) {
  const verify = createTokenVerifier(tokens);
  const { forMcp, forRest } = createResolver(dependencies);
  return {
    async authenticateToken(token: string, address: AddressOf): Promise<AgentPrincipal> {
      const claims = await verify(token);
      return forMcp(keyOf(claims), address, isIssuedFor(claims));
    },
    async authenticateTokenForRest(
      token: string,
      organization_id: string | null,
      address: AddressOf,
    ): Promise<AgentPrincipal> {
      const claims = await verify(token);
      return forRest(keyOf(claims), { organization_id, address }, isIssuedFor(claims));
    },
  };
}

const keyOf =
  ({ cid, exp, scope }: TokenClaims) =>
  (organization_id: string | null) =>
    connectionKey({ connection_id: cid, organization_id, token: { expires: exp, scope } });

/** Returns whether a token names the client and the person of its connection. */
const isIssuedFor =
  ({ sub, client_id }: TokenClaims) =>
  (principal: AgentPrincipal): boolean => {
    const owner = tokenGrantOf(principal)?.client_id ?? client_id;
    return owner === client_id && sub === (principal.person ?? client_id);
  };
