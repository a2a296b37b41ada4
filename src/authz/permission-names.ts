/** The rule that gives a permission its scope, its name in grants and its relation. Imports nothing. */

export type PermissionContext = 'personal' | 'organization' | 'team';

export interface Permission<Relation extends string = string> {
  readonly context: PermissionContext;
  /** Name of its relations in OpenFGA: `can_<relation>`, `carried_<relation>`, a role's flag. */
  readonly relation: Relation;
  /** Null if no access token can have this permission, whatever its scopes. */
  readonly scope: string | null;
  /** Null if no grant has this permission: it exists as an OAuth scope only. */
  readonly grant: string | null;
  readonly family: string;
  readonly verb: string;
}

/** Returns a function that lists the permissions of a family, one for each verb. */
export function permissionsOf(context: PermissionContext, nounOf: (family: string) => string) {
  return <Family extends string, Verb extends string>(
    family: Family,
    verbs: readonly Verb[],
    options: { noun?: string; grantNoun?: string; grantable?: boolean; hasScope?: boolean } = {},
  ): Permission<`${Family}_${Verb}`>[] => {
    const noun = options.noun ?? nounOf(family);
    const grantNoun = options.grantNoun ?? noun;

    return verbs.map((verb) => ({
      context,
      relation: `${family}_${verb}` as const,
      scope: options.hasScope === false ? null : `${verb}:${noun}`,
      grant: options.grantable === false ? null : `can_${verbOfGrant(verb)}_${grantNoun}`,
      family,
      verb,
    }));
  };
}

/** Grants use `view` and `update` where scopes use `read` and `write`. */
function verbOfGrant(verb: string): string {
  if (verb === 'read') return 'view';
  return verb === 'write' ? 'update' : verb;
}
