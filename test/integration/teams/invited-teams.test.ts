import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { accept, guestOf, inviteTo, teamsOf } from '../../support/people/invitations.ts';
import type { InvitationRecord } from '../../../src/organizations/invitations/schema.ts';
import {
  ADMIN,
  askAs,
  at,
  createRole,
  driftOf,
  MEMBER,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { createPerson, newEmail, tokenOf } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import {
  createManagedTeam,
  createTeam,
  createTeamRole,
  reader,
  seatsOf,
  TEAM_ADMIN,
} from '../../support/people/teams.ts';

const teams = await useTeams();

const path = (id: string) => `/api/organizations/${id}/invitations`;

/** Creates a team with an inviter, who can manage its members and invite people. */
async function withInviter() {
  const managed = await createManagedTeam(teams);
  const { id, owner, mia } = managed;
  const inviterRole = await createRole(owner, id, {
    name: 'Inviter',
    permissions: ['can_view_organization', 'can_invite_organization_members'],
  });
  const member = `/api/organizations/${id}/members/${mia.account_id}`;
  const body = { role_ids: [MEMBER, inviterRole.id] };
  await askAs(owner, { method: 'PATCH', path: member, body });
  return managed;
}

test('joining immediately gives the seats and roles of the invitation, on every gateway', async () => {
  const { id, owner, team, own, path: red } = await createManagedTeam(teams);
  const blue = await createTeam(owner, id, 'blue');
  const readerRole = await createTeamRole(owner, own, reader);
  const { guest, invitation, token } = await guestOf(teams, owner, id, [
    { team_id: team.id, role_ids: [readerRole.id, readerRole.id] },
    { team_id: blue.id },
  ]);
  const seats = [
    { id: blue.id, name: 'blue', roles: [] },
    { id: team.id, name: 'red', roles: [{ id: readerRole.id, name: 'Reader' }] },
  ];
  expect(invitation.teams).toEqual(seats);
  expect(outcomeOf(await askAs(guest, { path: `${red}/members` }))).toEqual([404, 'not_found']);

  expect((await accept(guest, token)).status).toBe(200);

  expect((await askAs(at(guest, teams.otherGateway), { path: `${red}/members` })).status).toBe(200);
  expect(await teamsOf(owner, id, guest.email)).toEqual(seats);
  const [row] = await teams.world.query<{ detail: object }>(
    "SELECT detail FROM audit_event WHERE action = 'member.join' AND actor_id = $1 LIMIT 1",
    [guest.account_id],
  );
  expect(row!.detail).toEqual({
    ...{ organization_id: id, role_ids: [MEMBER] },
    teams: [
      { team_id: blue.id, role_ids: [] },
      { team_id: team.id, role_ids: [readerRole.id] },
    ],
  });
  expect(await driftOf(teams.gateway)).toEqual([]);
});

test('a person who registers through an invitation gets its seats', async () => {
  const { world, gateway } = teams;
  const { id, owner, team } = await teams.organization();
  const email = newEmail();
  await inviteTo(owner, id, [{ team_id: team.id, role_ids: [TEAM_ADMIN] }], email);
  const person = createPerson(gateway.url);
  const invitation_token = tokenOf(await world.mailbox.next(email));
  await person.register({ email, invitation_token });
  const token = tokenOf(await world.mailbox.next(email));

  const verified = await person.ask<{ id: string }>({
    path: '/api/auth/verify-email',
    body: { token },
  });

  expect(verified.status).toBe(200);
  await expect
    .poll(() => teamsOf(owner, id, email))
    .toEqual([{ id: team.id, name: 'red', roles: [{ id: TEAM_ADMIN, name: 'team_admin' }] }]);
});

test('an invitation cannot give a permission or capability that the inviter does not hold in the team (G2, C5)', async () => {
  const { id, owner, team, own, managing, mia } = await withInviter();
  const wider = await createTeamRole(owner, own, {
    ...{ name: 'Wider', permissions: ['can_view_team_usage'], capabilities: ['agents'] },
  });

  const refused = await inviteTo(mia, id, [
    { team_id: team.id, role_ids: [managing.id, wider.id] },
  ]);

  expect(refused.status).toBe(422);
  expect(refused.body.errors?.map(({ code, detail }) => [code, detail])).toEqual([
    ['permission_not_held', { pointer: '/teams/0/role_ids/1', permission: 'can_view_team_usage' }],
    ['capability_escalation', { pointer: '/teams/0/role_ids/1', capability: 'agents' }],
  ]);
  const seats = [{ team_id: team.id, role_ids: [managing.id] }];
  expect((await inviteTo(mia, id, seats)).status).toBe(201);
});

test('each team of an invitation is measured on its own, when it is sent and when it is accepted (G2)', async () => {
  const { id, owner, team, path: red, managing, mia } = await withInviter();
  const violet = await createTeam(owner, id, 'violet');
  const inTeams = [seatsOf(id, team.id), seatsOf(id, violet.id)];
  await inTeams[1]!.add(owner, mia);
  const seats = [team, violet].map((one) => ({ team_id: one.id, role_ids: [managing.id] }));

  const { status, body } = await inviteTo(mia, id, seats);
  const pointers = body.errors?.map(({ detail }) => (detail as { pointer: string }).pointer);
  expect([status, new Set(pointers)]).toEqual([
    ...[422, new Set(['/teams/1', '/teams/1/role_ids/0'])],
  ]);
  for (const lost of inTeams) {
    for (const one of inTeams) await one.setRoles(owner, mia, [managing.id]);
    const { guest, token } = await guestOf(teams, mia, id, seats);
    await lost.setRoles(owner, mia, []);
    expect(outcomeOf(await accept(guest, token))).toEqual([422, 'token_invalid']);
    expect(outcomeOf(await askAs(guest, { path: red }))).toEqual([404, 'not_found']);
  }
});

test('inviting to a team requires the permission to add members there, even without roles', async () => {
  const { id, owner, team, own, mia, setRoles } = await withInviter();
  const readerRole = await createTeamRole(owner, own, reader);
  const seat = [{ team_id: team.id }];
  const { guest, token } = await guestOf(teams, mia, id, seat);
  await setRoles(owner, mia, [readerRole.id]);

  const refused = await inviteTo(mia, id, seat);

  expect(refused.body.errors?.map(({ code, detail }) => [code, detail])).toEqual([
    ['permission_not_held', { pointer: '/teams/0', permission: 'can_create_team_members' }],
  ]);
  expect(outcomeOf(await accept(guest, token))).toEqual([422, 'token_invalid']);
});

test('a team that the inviter cannot access gets the same 422 as an unknown one: foreign, deleted, or without a seat', async () => {
  const { id, owner, mia } = await withInviter();
  const blue = await createTeam(owner, id, 'blue');
  const deleted = await createTeam(owner, id, 'deleted');
  const foreign = await teams.organization();
  await askAs(owner, {
    ...{ method: 'DELETE', path: `/api/organizations/${id}/teams/${deleted.id}` },
    body: { confirm: 'deleted' },
  });
  const bodies: unknown[] = [];

  for (const team_id of [randomUUID(), foreign.team.id, deleted.id, blue.id]) {
    const refused = await inviteTo(mia, id, [{ team_id }]);
    expect(outcomeOf(refused)).toEqual([422, 'unknown_team']);
    bodies.push(refused.body);
  }

  expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  expect((await inviteTo(owner, id, [{ team_id: blue.id }])).status).toBe(201);
});

test.each([
  ['an unknown role', async () => [randomUUID()]],
  ['a role of the organization', async () => [ADMIN]],
  [
    'another team’s own role',
    async (id: string, owner: SignedUp) => {
      const blue = await createTeam(owner, id, 'blue');
      const roles = `/api/organizations/${id}/teams/${blue.id}/roles`;
      return [(await createTeamRole(owner, roles, reader)).id];
    },
  ],
])(
  'an invitation with %s is refused with 422 unknown_role and its pointer',
  async (_what, rolesOf) => {
    const { id, owner, team } = await teams.organization();
    const role_ids = await rolesOf(id, owner);

    const refused = await inviteTo(owner, id, [{ team_id: team.id, role_ids }]);

    expect(outcomeOf(refused)).toEqual([422, 'unknown_role']);
    expect(refused.body.errors![0]!.detail).toEqual({ pointer: '/teams/0/role_ids/0' });
  },
);

test.each([
  ['a team twice', (team_id: string) => [{ team_id }, { team_id: team_id.toUpperCase() }]],
  ['51 teams', () => Array.from({ length: 51 }, () => ({ team_id: randomUUID() }))],
  ['a missing team id', () => [{}]],
  ['a string instead of a list', () => 'red'],
])('an invitation with %s is refused with a 400', async (_what, seats) => {
  const { id, owner, team } = await teams.organization();

  expect((await inviteTo(owner, id, seats(team.id) as { team_id: string }[])).status).toBe(400);
});

test('the inviter’s permissions are checked again when an invitation to a team is accepted', async () => {
  const { id, owner, team, own, managing, mia, setRoles } = await withInviter();
  const seat = [{ team_id: team.id, role_ids: [managing.id] }];
  const first = await guestOf(teams, mia, id, seat);
  const second = await guestOf(teams, mia, id, seat);
  const adderRole = await createTeamRole(owner, own, {
    ...{ name: 'Adding', permissions: ['can_create_team_members'] },
  });

  await setRoles(owner, mia, [adderRole.id]);
  expect(outcomeOf(await accept(first.guest, first.token))).toEqual([422, 'token_invalid']);
  expect(await teamsOf(owner, id, first.guest.email)).toBeUndefined();

  await setRoles(owner, mia, [managing.id]);
  expect((await accept(second.guest, second.token)).status).toBe(200);
});

test('resending an invitation requires the permissions that it gives in teams', async () => {
  const { id, owner, team, mia } = await withInviter();
  const { invitation } = await guestOf(teams, owner, id, [
    { team_id: team.id, role_ids: [TEAM_ADMIN] },
  ]);
  const resend = { method: 'POST', path: `${path(id)}/${invitation.id}/resend` };

  expect(outcomeOf(await askAs(mia, resend))).toEqual([422, 'permission_not_held']);
  expect((await askAs(owner, resend)).status).toBe(200);
});

test('an invitation to several teams still gives the others when one has been deleted', async () => {
  const { id, owner, team } = await teams.organization();
  const blue = await createTeam(owner, id, 'blue');
  const { guest, token, invitation } = await guestOf(teams, owner, id, [
    { team_id: team.id, role_ids: [TEAM_ADMIN] },
    { team_id: blue.id },
  ]);
  const deletion = { method: 'DELETE', path: `/api/organizations/${id}/teams/${team.id}` };
  await askAs(owner, { ...deletion, body: { confirm: 'red' } });
  const rest = [{ id: blue.id, name: 'blue', roles: [] }];
  const listed = await askAs<{ data: InvitationRecord[] }>(owner, { path: path(id) });
  expect(listed.body.data.find((one) => one.id === invitation.id)!.teams).toEqual(rest);

  expect((await accept(guest, token)).status).toBe(200);

  expect(await teamsOf(owner, id, guest.email)).toEqual(rest);
  const left = () => teams.world.query('SELECT id FROM team WHERE id = $1', [team.id]);
  await expect.poll(left, { timeout: 10_000 }).toEqual([]);
  expect(await driftOf(teams.gateway)).toEqual([]);
});

test('twenty concurrent requests with one link create one member with one seat', async () => {
  const { id, owner, team } = await teams.organization();
  const { guest, token } = await guestOf(teams, owner, id, [
    { team_id: team.id, role_ids: [TEAM_ADMIN] },
  ]);

  const answers = await Promise.all(Array.from({ length: 20 }, () => accept(guest, token)));

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await teamsOf(owner, id, guest.email)).toHaveLength(1);
  expect(await driftOf(teams.gateway)).toEqual([]);
});
