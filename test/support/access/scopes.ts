import { scopesIn } from '../../../src/authz/permissions.ts';

const FAMILIES = ['resource', 'tool', 'prompt', 'agent'];
export const EVERY_TEAM = 'write:all_organization_teams';

/** States independently which other scopes a scope includes (spec: OAuth scopes). */
function includedIn(scope: string): string[] {
  const [verb, noun] = scope.split(':') as [string, string | undefined];
  if (noun === undefined || verb === 'read')
    return scope === 'read:team_policies'
      ? FAMILIES.map((family) => `read:team_${family}_policies`)
      : [];
  if (scope === EVERY_TEAM) return [...TEAM];
  const families = FAMILIES.flatMap((family) =>
    ['read', 'write'].map((one) => `${one}:team_${family}_policies`),
  );
  return [`read:${noun}`, ...(scope === 'write:team_policies' ? families : [])];
}
export const ORGANIZATION = [...scopesIn('organization')];
export const TEAM = ORGANIZATION.filter((name) => /^\w+:team_/.test(name));

/** What is granted of a choice: without the scopes of which a requested part was left out. */
export const expected = (chosen: readonly string[], requested: readonly string[]) =>
  chosen
    .filter((name) =>
      includedIn(name).every((part) => !requested.includes(part) || chosen.includes(part)),
    )
    .toSorted();
