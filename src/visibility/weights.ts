import type { Policies } from '../policies/item-policies.ts';
import type { SpaceContents } from '../content/content.ts';
import type { Exposure } from './place.ts';

/*
 * Estimated memory of cached values, in characters. Each weight is computed once per object, since
 * caches share objects and weigh them again for every view.
 */

/** Weight of a space without items, or of one that is still being read. */
export const SPACE_WEIGHT = 10_000;
/** Weight of a set of policies without entries, and of one id in a set or list of items. */
export const POLICIES_WEIGHT = 100;
export const ITEM_WEIGHT = 10;

/** Creates a function that remembers the weight of each object. */
function remembered<Value extends object>(weigh: (value: Value) => number) {
  const weights = new WeakMap<Value, number>();
  return (value: Value): number => {
    let weight = weights.get(value);
    if (weight === undefined) weights.set(value, (weight = weigh(value)));
    return weight;
  };
}

/** Counts the heads, since one item's head may be as large as a hundred others. */
export const weightOfSpace = remembered(({ items }: SpaceContents) =>
  items.reduce((sum, { head }) => sum + JSON.stringify(head).length, SPACE_WEIGHT),
);

export const weightOfPolicies = remembered((policies: Policies) =>
  Object.values(policies)
    .flatMap((policy: object) => Object.values(policy).filter((list) => Array.isArray(list)))
    .reduce(
      (sum, list: readonly string[]) => list.reduce((all, { length }) => all + length, sum),
      POLICIES_WEIGHT,
    ),
);

export const weightOfExposure = remembered(({ designated, teams }: Exposure) =>
  teams.reduce(
    (sum, { policies }) => sum + weightOfPolicies(policies),
    ITEM_WEIGHT * designated.size,
  ),
);
