import type { Asked } from '../access.ts';
import type { AccessDiff, Difference, Side, SubjectAccess, SubjectRef } from '../schema.ts';

/** Returns what a subject has; throws 404 for one that does not exist. */
export type AccessOf = (asked: Asked, subject: SubjectRef) => Promise<SubjectAccess>;
/** Returns what the subjects of a review had; throws 404 for a review that does not exist. */
export type ReviewedOf = (asked: Asked, review_id: string) => Promise<readonly Difference[]>;

interface DiffDependencies {
  accessOf: AccessOf;
  reviewedOf: ReviewedOf;
  model_id: string;
}

/** Creates the answer to what two subjects, or two reviews, have in common and what only one has. */
export function createDiff({ accessOf, reviewedOf, model_id }: DiffDependencies) {
  const entriesOf = async (asked: Asked, { subject, review_id }: Side) =>
    subject ? entriesOfSubject(await accessOf(asked, subject)) : reviewedOf(asked, review_id!);

  return async function diff(
    asked: Asked,
    { left, right }: { left: Side; right: Side },
  ): Promise<AccessDiff> {
    const at = { as_of: new Date().toISOString(), model_id };
    const [one, other] = [await entriesOf(asked, left), await entriesOf(asked, right)];
    const [inLeft, inRight] = [new Set(one.map(keyOf)), new Set(other.map(keyOf))];
    return {
      only_left: one.filter((entry) => !inRight.has(keyOf(entry))),
      only_right: other.filter((entry) => !inLeft.has(keyOf(entry))),
      both: inLeft.intersection(inRight).size,
      ...at,
    };
  };
}

const NONE: Difference = {
  ...{ permission: null, team: null, capability: null, item: null, subject: null },
};

/** Returns everything that a subject has, as entries of a comparison. */
export const entriesOfSubject = (access: SubjectAccess): Difference[] => [
  ...access.permissions.map((permission) => ({ ...NONE, permission })),
  ...access.team_permissions.flatMap(({ team, permissions }) =>
    permissions.map((permission) => ({ ...NONE, permission, team })),
  ),
  ...access.capabilities.map((capability) => ({ ...NONE, capability })),
  ...FAMILIES.flatMap((family) =>
    access.visible[family].map(({ id, name }) => ({ ...NONE, item: { family, id, name } })),
  ),
];

const FAMILIES = ['tools', 'prompts', 'resources', 'agents'] as const;

/** Equal for entries about the same thing, whatever its name is. */
const keyOf = ({ permission, team, capability, item, subject }: Difference): string =>
  JSON.stringify([permission, team?.id, capability, item?.family, item?.id, subject?.id]);
