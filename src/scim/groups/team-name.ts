import { MAX_NAME, TeamName } from '../../policies/item-name.ts';

const SPACE_FOR_SUFFIX = 4;

/**
 * Returns names for the team of a group, the best first: the group's in lower case, where
 * everything that a team's name may not contain is a hyphen, then the same with a number.
 */
export function* teamNamesFor(display_name: string): Generator<TeamName> {
  const name = display_name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+|__+/g, '-')
    .slice(0, MAX_NAME)
    .replaceAll(/^[-_]+|[-_]+$/g, '');
  const first = TeamName.safeParse(name);
  if (first.success) yield first.data;
  const stem = (name || 'team').slice(0, MAX_NAME - SPACE_FOR_SUFFIX);
  for (let number = first.success ? 2 : 1; number < 1_000; number += 1)
    yield TeamName.parse(name === '' && number === 1 ? stem : `${stem}-${number}`);
}
