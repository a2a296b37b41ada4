import { errors } from 'oidc-provider';
import { scopeClosure } from '../../authz/permissions.ts';

/**
 * Returns the names of a `scope` parameter that are within a ceiling, and the views they imply; all
 * of it if nothing is requested. Unknown names, such as `openid`, are dropped. Throws
 * `invalid_scope` if nothing is left.
 */
export function cutScope(requested: string | undefined, ceiling: readonly string[]): string[] {
  const allowed = new Set(ceiling);
  const named = (requested?.split(' ') ?? ceiling).filter((name) => allowed.has(name));
  const granted = scopeClosure(named).filter((name) => allowed.has(name));
  if (granted.length === 0)
    throw new errors.InvalidScope(
      requested === undefined
        ? 'the client has no scopes'
        : 'none of the requested scopes is allowed for this client',
      requested ?? '',
    );
  return granted;
}
