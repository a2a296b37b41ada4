import { errors } from 'oidc-provider';

/**
 * Returns the names of a `scope` parameter that are within a ceiling, in the ceiling's order; all of
 * it if nothing is requested. Unknown names, such as `openid`, are dropped. Throws `invalid_scope`
 * if nothing is left.
 */
export function cutScope(requested: string | undefined, ceiling: readonly string[]): string[] {
  const names = new Set(requested?.split(' ') ?? ceiling);
  const granted = ceiling.filter((name) => names.has(name));
  if (granted.length === 0)
    throw new errors.InvalidScope(
      requested === undefined
        ? 'the client has no scopes'
        : 'none of the requested scopes is allowed for this client',
      requested ?? '',
    );
  return granted;
}
