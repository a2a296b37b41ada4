import { everyTeamScope, permissionByScope, scopeClosure } from '../../authz/permissions.ts';

/**
 * Returns the other requested scopes that a broad scope includes: a mutation its view,
 * `team_policies` the policy families, and `all_organization_teams` everything in teams (SC3).
 */
export function partsOf(scope: string, requested: readonly string[]): readonly string[] {
  const included = new Set(scopeClosure([scope]));
  const isPart = (name: string) =>
    included.has(name) || (scope === everyTeamScope && permissionByScope(name)?.context === 'team');
  return requested.filter((name) => name !== scope && isPart(name));
}

/**
 * Returns the chosen of the requested scopes, without the broad ones of which a part was not chosen:
 * they would still give it. What remains includes nothing else that was requested.
 */
export const withoutIncomplete = (
  chosen: ReadonlySet<string>,
  requested: readonly string[],
): string[] =>
  requested.filter(
    (name) => chosen.has(name) && partsOf(name, requested).every((part) => chosen.has(part)),
  );
