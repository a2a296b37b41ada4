import { scopeName } from '../caller/scope.ts';
import type { ScopeKind, ScopeState } from '../caller/scope.ts';

/**
 * Throws unless the scopes include every one that decisions on the object walk (authorization.md 5):
 * an answer cached without one of their nonces would outlive a change of it, and a dirty one would
 * go unnoticed. It is a defect of the code that asks, never a no.
 */
export function requireCovered(object: string, scopes: readonly ScopeState[]): void {
  if (!isCovered(object, scopes))
    throw new TypeError(
      `${object} is asked about with the scopes ${scopes.map(scopeName).join(', ') || 'none'} alone.`,
    );
}

function isCovered(object: string, scopes: readonly ScopeState[]): boolean {
  const [type, id] = parted(object, ':');
  const [home, holder] = parted(id, '.');
  const has = (kind: ScopeKind, one: string) =>
    scopes.some((scope) => scope.kind === kind && scope.id === one);
  // The id of a membership is its own, so one of several could be another's.
  const isOne = (kind: ScopeKind) => scopes.filter((scope) => scope.kind === kind).length === 1;
  const coversMember = () =>
    has('account', holder) && isOne('membership') && isOne('organization') && isOne('platform');
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

function parted(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return [text.slice(0, at), text.slice(at + 1)];
}
