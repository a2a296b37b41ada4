import {
  everyTeamGrant,
  organizationClosure,
  permissions,
  teamClosure,
} from '../../authz/permissions.ts';

const everyTeamPermission: readonly string[] = permissions.team.flatMap(({ grant }) => grant ?? []);

/** Returns all that a permission in a grant includes, itself too (G1, SC3). */
function includedIn(name: string): readonly string[] {
  const alone = new Set([name]);
  return [
    ...organizationClosure(alone),
    ...teamClosure(alone),
    ...(name === everyTeamGrant ? everyTeamPermission : []),
  ];
}

/**
 * Returns those of the carried permissions that can be taken away without refusing anything that was used:
 * a permission stays if it was used, or if it includes one that was used and that is not carried by itself.
 */
export function unusedOf(carried: readonly string[], used: ReadonlySet<string>): string[] {
  const names = new Set(carried);
  return carried.filter(
    (name) =>
      !used.has(name) &&
      !includedIn(name).some((included) => used.has(included) && !names.has(included)),
  );
}
