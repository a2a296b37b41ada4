import { expect, test } from 'vitest';
import { TeamName } from '../../../src/policies/item-name.ts';

test.each(['My Team', 'a'.repeat(65), ''])(
  'the team name %j is refused with its one limit',
  (name) => {
    expect(TeamName.safeParse(name).error?.issues.map(({ message }) => message)).toEqual([
      'must be 1 to 64 characters of a-z, 0-9, _ and -',
    ]);
  },
);

test('a team may have a name as long as that of an item', () => {
  expect(TeamName.safeParse('a'.repeat(64)).success).toBe(true);
});
