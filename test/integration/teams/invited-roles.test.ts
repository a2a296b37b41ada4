import { expect, test } from 'vitest';
import type { InvitationRecord } from '../../../src/organizations/invitations/schema.ts';
import { accept, guestOf, inviteTo, teamsOf } from '../../support/people/invitations.ts';
import { askAs, createRole, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import {
  createManagedTeam,
  createTeam,
  createTeamRole,
  reader,
} from '../../support/people/teams.ts';

const teams = await useTeams();

const path = (id: string) => `/api/organizations/${id}/invitations`;

test('a team role of a pending invitation is in use; if it is replaced, the invitation gives the replacement', async () => {
  const { id, owner, team, path: red } = await teams.organization();
  const own = `${red}/roles`;
  const readerRole = await createTeamRole(owner, own, reader);
  const other = await createTeamRole(owner, own, { name: 'Other' });
  const role = { method: 'DELETE', path: `${own}/${readerRole.id}` };
  const { guest, token } = await guestOf(teams, owner, id, [
    { team_id: team.id, role_ids: [readerRole.id] },
  ]);

  const refused = await askAs(owner, role);

  expect(outcomeOf(refused)).toEqual([409, 'role_in_use']);
  expect(refused.body.errors![0]!.detail).toEqual({ members: 0, invitations: 1, connections: 0 });
  const replaced = { ...role, path: `${role.path}?replace_with=${other.id}` };
  expect((await askAs(owner, replaced)).status).toBe(204);
  expect((await accept(guest, token)).status).toBe(200);
  expect(await teamsOf(owner, id, guest.email)).toEqual([
    { id: team.id, name: 'red', roles: [{ id: other.id, name: 'Other' }] },
  ]);
});

test('replacing a role requires the replacement’s permissions even in teams where only invitations give the role', async () => {
  const { id, owner, team, shared, mia } = await createManagedTeam(teams);
  const blue = await createTeam(owner, id, 'blue');
  const emptyRole = await createTeamRole(owner, shared, { name: 'Empty' });
  const wide = await createTeamRole(owner, shared, {
    ...{ name: 'Wide', permissions: ['can_view_team_usage'] },
  });
  const deleterRole = await createRole(owner, id, {
    name: 'Deleting',
    permissions: ['can_view_organization', 'can_delete_organization_team_roles'],
  });
  const member = `/api/organizations/${id}/members/${mia.account_id}`;
  await askAs(owner, { method: 'PATCH', path: member, body: { role_ids: [deleterRole.id] } });
  await inviteTo(owner, id, [{ team_id: team.id }, { team_id: blue.id, role_ids: [emptyRole.id] }]);
  const removal = { method: 'DELETE', path: `${shared}/${emptyRole.id}?replace_with=${wide.id}` };

  expect(outcomeOf(await askAs(mia, removal))).toEqual([422, 'permission_not_held']);
  expect((await askAs(owner, removal)).status).toBe(204);
});

test('revoked and expired invitations do not prevent deleting a team role', async () => {
  const { id, owner, team, path: red } = await teams.organization();
  const readerRole = await createTeamRole(owner, `${red}/roles`, reader);
  const seat = [{ team_id: team.id, role_ids: [readerRole.id] }];
  const revoked = await inviteTo(owner, id, seat);
  await askAs(owner, { method: 'DELETE', path: `${path(id)}/${revoked.body.id}` });
  const old = await inviteTo(owner, id, seat);
  await teams.world.query('UPDATE organization_invitation SET expires_at = now() WHERE id = $1', [
    old.body.id,
  ]);

  const removal = { method: 'DELETE', path: `${red}/roles/${readerRole.id}` };
  expect((await askAs(owner, removal)).status).toBe(204);

  const { body } = await askAs<{ data: InvitationRecord[] }>(owner, { path: path(id) });
  expect(body.data.map(({ status, teams: seats }) => [status, seats])).toEqual([
    ['expired', [{ id: team.id, name: 'red', roles: [] }]],
    ['revoked', [{ id: team.id, name: 'red', roles: [] }]],
  ]);
});
