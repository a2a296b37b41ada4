import type { Asked } from '../dependencies.ts';
import type { AccessDiff, Side, SubjectAccess, SubjectRef } from '../schema.ts';
import { entriesOfSubject, keyOf } from './entries.ts';

/** Returns what a subject has; throws 404 for one that does not exist. */
export type AccessOf = (asked: Asked, subject: SubjectRef) => Promise<SubjectAccess>;

type Differences = Pick<AccessDiff, 'only_left' | 'only_right' | 'both'>;

/** Compares what the subjects of two reviews had; throws 404 for a review that does not exist. */
export type CompareReviews = (asked: Asked, left: string, right: string) => Promise<Differences>;

interface DiffDependencies {
  accessOf: AccessOf;
  compareReviews: CompareReviews;
  model_id: string;
}

/** Creates the answer to what two subjects, or two reviews, have in common and what only one has. */
export function createDiff({ accessOf, compareReviews, model_id }: DiffDependencies) {
  async function compareSubjects(
    asked: Asked,
    left: SubjectRef,
    right: SubjectRef,
  ): Promise<Differences> {
    const one = entriesOfSubject(await accessOf(asked, left));
    const other = entriesOfSubject(await accessOf(asked, right));
    const [inLeft, inRight] = [new Set(one.map(keyOf)), new Set(other.map(keyOf))];
    return {
      only_left: one.filter((entry) => !inRight.has(keyOf(entry))),
      only_right: other.filter((entry) => !inLeft.has(keyOf(entry))),
      both: inLeft.intersection(inRight).size,
    };
  }

  return async function diff(
    asked: Asked,
    { left, right }: { left: Side; right: Side },
  ): Promise<AccessDiff> {
    const at = { as_of: new Date().toISOString(), model_id };
    const differences = left.subject
      ? await compareSubjects(asked, left.subject, right.subject!)
      : await compareReviews(asked, left.review_id!, right.review_id!);
    return { ...differences, ...at };
  };
}
