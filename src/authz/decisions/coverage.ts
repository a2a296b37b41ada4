import { scopeName } from '../../caller/scope.ts';
import type { ScopeKind, ScopeState } from '../../caller/scope.ts';

/**
 * Throws unless the scopes include all that decisions on the object depend on (authorization.md 5):
 * an answer cached without a scope's nonce would outlive its changes, and a dirty scope would go
 * unnoticed. This is a bug in the calling code, never a denial.
 */
export function requireCovered(object: string, scopes: readonly ScopeState[]): void {
  if (!isCovered(object, scopes))
    throw new TypeError(
      `${object} is checked with the scopes ${scopes.map(scopeName).join(', ') || 'none'} only.`,
    );
}

function isCovered(object: string, scopes: readonly ScopeState[]): boolean {
  const [type, id] = splitAt(object, ':');
  const [home, holder] = splitAt(id, '.');
  const has = (kind: ScopeKind, one: string) =>
    scopes.some((scope) => scope.kind === kind && scope.id === one);
  // A membership's id does not name its account, so among several the right one is unknown.
  const hasOne = (kind: ScopeKind) => scopes.filter((scope) => scope.kind === kind).length === 1;
  const coversMember = () =>
    has('account', holder) && hasOne('membership') && hasOne('organization') && hasOne('platform');
  switch (type) {
    case 'account':
      return has('account', id);
    case 'membership':
      return coversMember() && has('organization', home);
    case 'service':
      return has('service', holder);
    case 'team_seat':
      return has('service', holder) || coversMember();
    default:
      return false;
  }
}

function splitAt(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return [text.slice(0, at), text.slice(at + 1)];
}
