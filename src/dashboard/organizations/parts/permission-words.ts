import { organizationPermissions, teamPermissions } from '../../../authz/permissions.ts';
import type { TextName, Translate } from '../../texts/texts.ts';
import { listOf } from '../../texts/texts.ts';

const byGrant = new Map(
  [...organizationPermissions, ...teamPermissions].map((one) => [one.grant, one]),
);

/** Permissions of one noun, in the words of the table of a role. */
export interface PermissionGroup {
  noun: string;
  verbs: string;
}

/** Groups permissions, named as in grants, by their nouns. Those of a team are apart. */
export function groupsOf(names: readonly string[], t: Translate): PermissionGroup[] {
  const groups = new Map<string, { noun: string; verbs: string[] }>();
  for (const name of names) {
    const permission = byGrant.get(name);
    const { key, noun, verb } =
      permission === undefined
        ? { key: name, noun: name, verb: '' }
        : {
            key: `${permission.context} ${permission.family}`,
            noun: t(`noun.${permission.family}` as TextName),
            verb: t(`verb.${permission.verb}` as TextName),
          };
    const group = groups.get(key) ?? { noun, verbs: [] };
    if (verb !== '') group.verbs.push(verb);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ noun, verbs }) => ({ noun, verbs: listOf(verbs) }));
}

/** Returns permissions in words, one for each noun, such as `API keys: View, Create`. */
export const permissionWords = (names: readonly string[], t: Translate): string[] =>
  groupsOf(names, t).map(({ noun, verbs }) =>
    verbs === '' ? noun : t('errors.permission', { noun, verb: verbs }),
  );
