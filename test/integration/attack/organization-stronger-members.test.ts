import { expect, test } from 'vitest';
import type { MemberRecord } from '../../../src/organizations/members/schema.ts';
import type { SeatRecord } from '../../../src/organizations/teams/seats/schema.ts';
import { askAs, createRole, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeamRole } from '../../support/people/teams.ts';

const teams = await useTeams();

test('a role with more than the caller has cannot be taken from its members by replacing it', async () => {
  const { id, owner } = await teams.organization();
  const organization = `/api/organizations/${id}`;
  const strong = await createRole(owner, id, {
    name: 'Strong',
    permissions: ['can_update_organization_members', 'can_update_organization'],
    capabilities: ['tools'],
  });
  const empty = await createRole(owner, id, { name: 'Empty' });
  const cleaner = await createRole(owner, id, {
    name: 'Cleaner',
    permissions: ['can_delete_organization_roles', 'can_update_organization_members'],
  });
  const boss = await teams.join(id, 'boss', [strong.id]);
  const caller = await teams.join(id, 'caller', [cleaner.id]);

  const changed = await askAs(caller, {
    method: 'PATCH',
    path: `${organization}/members/${boss.account_id}`,
    body: { role_ids: [empty.id] },
  });
  const replaced = await askAs(caller, {
    method: 'DELETE',
    path: `${organization}/roles/${strong.id}?replace_with=${empty.id}`,
  });

  const { body } = await askAs<{ data: MemberRecord[] }>(owner, {
    path: `${organization}/members`,
  });
  const roles = body.data.find(({ account_id }) => account_id === boss.account_id)?.roles;
  for (const answer of [changed, replaced])
    expect(outcomeOf(answer)).toEqual([403, 'permission_denied']);
  expect(roles?.map(({ name }) => name)).toEqual(['Strong']);
});

test('a team role with more than the caller has cannot be taken from its members by replacing it', async () => {
  const { id, owner, path, add, setRoles, list } = await teams.organization();
  const own = `${path}/roles`;
  const strong = await createTeamRole(owner, own, {
    name: 'Strong',
    permissions: ['can_update_team_general', 'can_view_team_usage'],
  });
  const empty = await createTeamRole(owner, own, { name: 'Empty' });
  const cleaner = await createTeamRole(owner, own, {
    name: 'Cleaner',
    permissions: ['can_delete_team_roles', 'can_update_team_members'],
  });
  const boss = await teams.join(id, 'boss');
  const caller = await teams.join(id, 'caller');
  await add(owner, boss, [strong.id]);
  await add(owner, caller, [cleaner.id]);

  const changed = await setRoles(caller, boss, [empty.id]);
  const replaced = await askAs(caller, {
    method: 'DELETE',
    path: `${own}/${strong.id}?replace_with=${empty.id}`,
  });

  const seats: SeatRecord[] = (await list(owner)).body.data;
  const seat = seats.find(({ account_id }) => account_id === boss.account_id);
  for (const answer of [changed, replaced])
    expect(outcomeOf(answer)).toEqual([403, 'permission_denied']);
  expect(seat?.roles.map(({ name }) => name)).toEqual(['Strong']);
});
