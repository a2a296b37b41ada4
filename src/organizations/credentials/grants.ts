/** A grant of a key: permissions in its person's account, or in an organization. */
interface Grant {
  scope: { type: 'personal' } | { type: 'org'; org_id: string };
  permissions: readonly string[];
}

/** Returns the grant for an organization, or with null for the person's account; null if none. */
export const grantFor = <Of extends Grant>(
  grants: readonly Of[],
  organization_id: string | null,
): Of | null => grants.find(({ scope }) => organizationOf(scope) === organization_id) ?? null;

/** Returns the organizations in which a key has tuples: where it runs, and where it has a grant. */
export const organizationsOf = ({
  org_scope,
  grants,
}: {
  org_scope: string | null;
  grants: readonly Grant[];
}): Set<string> =>
  new Set(
    [org_scope, ...grants.map(({ scope }) => organizationOf(scope))].filter((id) => id !== null),
  );

const organizationOf = (scope: Grant['scope']): string | null =>
  scope.type === 'org' ? scope.org_id : null;
