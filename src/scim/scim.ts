import { createScimAuthentication } from './tokens/authenticate.ts';
import type { Directory, ScimAuthenticationDependencies } from './tokens/authenticate.ts';
import { createScimTokens } from './tokens/tokens.ts';
import type { ScimTokens, ScimTokensDependencies } from './tokens/tokens.ts';

/** Provisioning of an organization's members and teams by its directory (RFC 7643, 7644). */
export interface Scim {
  tokens: ScimTokens;
  /** Resolves a bearer token; throws 401. */
  authenticate(token: string): Promise<Directory>;
}

export type ScimDependencies = ScimTokensDependencies & ScimAuthenticationDependencies;

export function createScim(dependencies: ScimDependencies): Scim {
  return {
    tokens: createScimTokens(dependencies),
    authenticate: createScimAuthentication(dependencies),
  };
}
