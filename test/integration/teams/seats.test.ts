import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { TeamRecord } from '../../../src/organizations/teams/schema.ts';
import type { MemberRecord } from '../../../src/organizations/members/schema.ts';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
import { goodPassword, sortedStatuses } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import {
  ADMIN,
  askAs,
  at,
  createRole,
  driftOf,
  MEMBER,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, seatsOf, TEAM_ADMIN } from '../../support/people/teams.ts';

const teams = await useTeams();

const admin = { id: TEAM_ADMIN, name: 'team_admin' };

test('team members are listed with their names, addresses and roles, in pages', async () => {
  const { id, owner, add, list } = await teams.organization();
  const bob = await teams.join(id, 'bob');

  const added = await add(owner, bob, [TEAM_ADMIN, TEAM_ADMIN]);

  const first = await list(bob, '?limit=1');
  const rest = await list(bob, `?limit=1&cursor=${first.body.next_cursor}`);
  const record = ({ account_id, email }: SignedUp) => ({
    ...{ account_id, email, first_name: 'Ada', last_name: 'Lovelace' },
    ...{ roles: [admin], joined_at: expect.any(String) },
  });
  expect([...first.body.data, ...rest.body.data]).toEqual([record(owner), record(bob)]);
  expect([added.status, added.body]).toEqual([201, rest.body.data[0]]);
  expect(rest.body.next_cursor).toBeNull();
});

test('a member’s record lists the teams with the roles there, and the organization’s record lists the caller’s teams', async () => {
  const { id, owner, team, add } = await teams.organization();
  const bob = await teams.join(id, 'bob');
  await add(owner, bob, [TEAM_ADMIN]);
  const path = `/api/organizations/${id}`;

  const { body } = await askAs<{ data: MemberRecord[] }>(owner, { path: `${path}/members` });
  const own = await askAs<OrganizationRecord>(bob, { path });

  expect(body.data.map((member) => member.teams)).toEqual([
    [{ id: team.id, name: 'red', roles: [admin] }],
    [{ id: team.id, name: 'red', roles: [admin] }],
  ]);
  expect(own.body.membership.teams).toEqual([{ id: team.id, name: 'red' }]);
  // A team role grants nothing in the organization.
  expect(own.body.membership.permissions).toEqual(['can_view_organization']);
});

test.each<[string, (person: SignedUp) => object, number, string]>([
  ['a missing account', () => ({ role_ids: [] }), 400, 'invalid_body'],
  ['a malformed role', ({ account_id }) => ({ account_id, role_ids: ['x'] }), 400, 'invalid_body'],
  ['an unknown person', () => ({ account_id: randomUUID() }), 422, 'not_a_member'],
  [
    'an unknown role',
    ({ account_id }) => ({ account_id, role_ids: [randomUUID()] }),
    422,
    'unknown_role',
  ],
  [
    'a role of the organization',
    ({ account_id }) => ({ account_id, role_ids: [MEMBER] }),
    422,
    'unknown_role',
  ],
])('%s is refused, and nobody is added', async (_what, bodyOf, status, code) => {
  const { id, owner, path, list } = await teams.organization();
  const bob = await teams.join(id, 'bob');

  const refused = await askAs(owner, { path: `${path}/members`, body: bodyOf(bob) });

  expect(outcomeOf(refused)).toEqual([status, code]);
  expect((await list(owner)).body.data).toHaveLength(1);
});

test('a person of another organization cannot be added, and gets the same response as an unknown one', async () => {
  const { owner, path } = await teams.organization();
  const other = await teams.organization();
  const add = (account_id: string) =>
    askAs(owner, { path: `${path}/members`, body: { account_id } });

  const [foreign, unknown] = [await add(other.owner.account_id), await add(randomUUID())];

  expect([foreign.status, foreign.body]).toEqual([422, unknown.body]);
});

test('only one of ten concurrent additions of a person succeeds, and the others get a 409', async () => {
  const { id, owner, add, list } = await teams.organization();
  const bob = await teams.join(id, 'bob');

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      add(at(owner, index % 2 ? teams.gateway : teams.otherGateway), bob),
    ),
  );

  expect(sortedStatuses(answers)).toEqual([201, ...Array<number>(9).fill(409)]);
  expect((await list(owner)).body.data).toHaveLength(2);
});

test('a change of a member’s team roles takes effect with the next request on every gateway', async () => {
  const { id, owner, add, setRoles, path } = await teams.organization();
  const bob = await teams.join(id, 'bob');
  await add(owner, bob);
  const list = () => askAs(at(bob, teams.otherGateway), { path: `${path}/members` });
  for (let round = 0; round < 5; round += 1) {
    expect(outcomeOf(await list())).toEqual([403, 'permission_denied']);
    expect((await setRoles(owner, bob, [TEAM_ADMIN])).body.roles).toEqual([admin]);
    expect((await list()).status).toBe(200);
    expect((await setRoles(owner, bob, [])).body.roles).toEqual([]);
  }
});

test('leaving a team requires no permission, and the person gets a 404 for the team afterwards', async () => {
  const { id, owner, add, remove, path, seat } = await teams.organization();
  const bob = await teams.join(id, 'bob');
  await add(owner, bob);

  expect(outcomeOf(await remove(bob, owner))).toEqual([403, 'permission_denied']);
  expect((await remove(bob, bob)).status).toBe(204);

  expect(outcomeOf(await askAs(bob, { path }))).toEqual([404, 'not_found']);
  expect(outcomeOf(await askAs(owner, { method: 'DELETE', path: seat(bob) }))).toEqual([
    404,
    'not_found',
  ]);
  expect((await askAs(bob, { path: `/api/organizations/${id}` })).status).toBe(200);
});

test('a member of one team gets a 404 for the others, before any 403', async () => {
  const { id, owner, add } = await teams.organization();
  const green = seatsOf(id, (await createTeam(owner, id, 'green')).id);
  const bob = await teams.join(id, 'bob');
  await add(owner, bob, [TEAM_ADMIN]);

  for (const answer of [
    await green.list(bob),
    await green.add(bob, bob, [TEAM_ADMIN]),
    await green.setRoles(bob, owner, []),
    await green.remove(bob, owner),
    await askAs(bob, { method: 'DELETE', path: green.path, body: { confirm: 'green' } }),
  ])
    expect(outcomeOf(answer)).toEqual([404, 'not_found']);
});

describe('a member who is allowed to manage every team', () => {
  test('can use every team without being in it, with all of its permissions, and sees them in its record once in it', async () => {
    const { id, owner, add, list, path } = await teams.organization();
    const managerRole = await createRole(owner, id, {
      name: 'Manager',
      permissions: ['can_update_all_organization_teams'],
    });
    const [mia, bob] = [await teams.join(id, 'mia', [managerRole.id]), await teams.join(id, 'bob')];

    expect((await list(mia)).status).toBe(200);
    expect((await add(mia, bob, [TEAM_ADMIN])).status).toBe(201);
    const edited = await askAs(mia, { method: 'PATCH', path, body: { description: 'Managed.' } });
    expect(edited.status).toBe(200);
    await add(owner, mia);
    const { body } = await askAs<TeamRecord>(mia, { path });
    expect([body.membership?.roles, body.membership?.permissions.length]).toEqual([[], 40]);
  });

  test('loses access to the teams together with the role, at the next request', async () => {
    const { id, owner, list } = await teams.organization();
    const mia = await teams.join(id, 'mia', [ADMIN]);
    const member = `/api/organizations/${id}/members/${mia.account_id}`;
    expect((await list(at(mia, teams.otherGateway))).status).toBe(200);

    await askAs(owner, { method: 'PATCH', path: member, body: { role_ids: [MEMBER] } });

    expect(outcomeOf(await list(at(mia, teams.otherGateway)))).toEqual([404, 'not_found']);
  });
});

describe('leaving the organization ends team memberships', () => {
  test.each(['is removed', 'leaves'])(
    'a person who %s and joins again is in no team',
    async (how) => {
      const { id, owner, add, list, path } = await teams.organization();
      const bob = await teams.join(id, 'bob');
      await add(owner, bob, [TEAM_ADMIN]);
      const member = `/api/organizations/${id}/members/${bob.account_id}`;

      await askAs(how === 'leaves' ? bob : owner, { method: 'DELETE', path: member });

      expect((await list(owner)).body.data).toHaveLength(1);
      expect(outcomeOf(await askAs(bob, { path }))).toEqual([404, 'not_found']);
      await teams.joins.add(id, bob);
      expect(outcomeOf(await askAs(bob, { path }))).toEqual([404, 'not_found']);
      expect(await driftOf(teams.gateway)).toEqual([]);
    },
  );

  test('deleting an account deletes its seats and their tuples', async () => {
    const { id, owner, add, list } = await teams.organization();
    const bob = await teams.join(id, 'bob');
    await add(owner, bob, [TEAM_ADMIN]);
    const body = { confirm: bob.email, current_password: goodPassword };

    const deletion = await askAs(bob, { method: 'DELETE', path: '/api/user/account', body });

    expect(deletion.status).toBe(204);
    expect((await list(owner)).body.data).toHaveLength(1);
    expect(await driftOf(teams.gateway)).toEqual([]);
  });
});

test('in a suspended organization members get a 403 for teams, which are unchanged afterwards', async () => {
  const { id, owner, add, list, path } = await teams.organization();
  const bob = await teams.join(id, 'bob');
  await add(owner, bob, [TEAM_ADMIN]);
  const setStatus = teams.gateway.service.organizations.setStatus;

  await setStatus(id, 'suspended');

  for (const request of [{ path }, { path: `${path}/members` }])
    expect(outcomeOf(await askAs(at(bob, teams.otherGateway), request))).toEqual([
      403,
      'organization_suspended',
    ]);
  await setStatus(id, 'active');
  expect((await list(bob)).body.data).toHaveLength(2);
});

test('after all these tests the tuples match the rows', async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});
