import { expect, test } from 'vitest';
import { unusedOf } from '../../../src/explorer/unused/remaining.ts';

const unused = (carried: string[], ...used: string[]) => unusedOf(carried, new Set(used));

test('a permission that was used is not unused, any other is', () => {
  expect(unused(['can_view_team_usage', 'can_view_team_roles'], 'can_view_team_usage')).toEqual([
    'can_view_team_roles',
  ]);
  expect(unused(['can_view_team_usage'])).toEqual(['can_view_team_usage']);
});

test('a permission stays if only it includes one that was used', () => {
  const [view, update] = ['can_view_organization_roles', 'can_update_organization_roles'];

  expect(unused([update], view)).toEqual([]);
  expect(unused([view, update], view)).toEqual([update]);
  expect(unused([view, update], update)).toEqual([view]);
  expect(unused(['can_update_organization'], 'can_view_organization_audit')).toEqual([]);
});

test('what includes a used permission in two steps stays, as does what includes all of a team', () => {
  const used = 'can_view_team_tool_policies';

  expect(unused(['can_update_team_policies'], used)).toEqual([]);
  expect(unused(['can_update_team_policies', 'can_view_team_policies'], used)).toEqual([]);
  expect(unused(['can_update_all_organization_teams'], used)).toEqual([]);
  expect(unused(['can_update_all_organization_teams', used], used)).toEqual([
    'can_update_all_organization_teams',
  ]);
});
