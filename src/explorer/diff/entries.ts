import type { Difference, SubjectAccess } from '../schema.ts';

const NONE: Difference = {
  ...{ permission: null, team: null, capability: null, item: null, subject: null },
};

/** Returns what a subject holds, as entries of a comparison. */
export const entriesOfHeld = ({
  permissions,
  team_permissions,
  capabilities,
  items,
}: Pick<SubjectAccess, 'permissions' | 'team_permissions' | 'capabilities'> & {
  items: readonly NonNullable<Difference['item']>[];
}): Difference[] => [
  ...permissions.map((permission) => ({ ...NONE, permission })),
  ...team_permissions.flatMap(({ team, permissions: inTeam }) =>
    inTeam.map((permission) => ({ ...NONE, permission, team })),
  ),
  ...capabilities.map((capability) => ({ ...NONE, capability })),
  ...items.map((item) => ({ ...NONE, item })),
];

const FAMILIES = ['tools', 'prompts', 'resources', 'agents'] as const;

/** Returns everything that a subject has, as entries of a comparison. */
export const entriesOfSubject = (access: SubjectAccess): Difference[] =>
  entriesOfHeld({
    ...access,
    items: FAMILIES.flatMap((family) =>
      access.visible[family].map(({ id, name }) => ({ family, id, name })),
    ),
  });

/** Equal for entries about the same thing, whatever its name is. */
export const keyOf = ({ permission, team, capability, item, subject }: Difference): string =>
  JSON.stringify([permission, team?.id, capability, item?.family, item?.id, subject?.id]);
