import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { askAs, at, MEMBER, outcomeOf } from '../../support/people/organizations.ts';
import { newEmail, signUp, sortedStatuses } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';

const teams = await useTeams();

const path = (id: string) => `/api/organizations/${id}`;

/** Inserts custom team roles directly into the table; only their number matters here. */
const addRoles = (count: number, id: string, team_id: string | null) =>
  teams.world.query(
    `INSERT INTO team_role (id, organization_id, team_id, name, folded_name, description, permissions,
       capabilities)
     SELECT gen_random_uuid(), $1, $2, 'Role ' || n, 'role ' || n, '', '{}', '{}'
     FROM generate_series(1, $3::int) n`,
    [id, team_id, count],
  );

test('an organization has at most 100 custom roles, even if two are created at once', async () => {
  const { id, owner } = await teams.organization();
  await teams.world.query(
    `INSERT INTO organization_role (id, organization_id, name, folded_name, description, permissions,
       capabilities)
     SELECT gen_random_uuid(), $1, 'Role ' || n, 'role ' || n, '', '{}', '{}'
     FROM generate_series(1, 99) n`,
    [id],
  );
  const create = (who = owner) =>
    askAs(who, { path: `${path(id)}/roles`, body: { name: `Role ${randomUUID()}` } });

  const answers = await Promise.all([create(), create(at(owner, teams.otherGateway))]);

  expect(sortedStatuses(answers)).toEqual([201, 422]);
  expect(outcomeOf(await create())).toEqual([422, 'limit_reached']);
});

test.each([
  ['100 roles for all its teams', 99, null],
  ['20 roles for a single team', 19, 'own'],
])('an organization has at most %s, even if two are created at once', async (_what, count, own) => {
  const { id, owner, team, path: red } = await teams.organization();
  await addRoles(count, id, own && team.id);
  const roles = own === null ? `${path(id)}/team-roles` : `${red}/roles`;
  const create = (who = owner) =>
    askAs(who, { path: roles, body: { name: `Role ${randomUUID()}` } });

  const answers = await Promise.all([create(), create(at(owner, teams.otherGateway))]);

  expect(sortedStatuses(answers)).toEqual([201, 422]);
  expect(outcomeOf(await create())).toEqual([422, 'limit_reached']);
});

test('a team’s own roles do not count towards the organization’s limit', async () => {
  const { id, owner, team, path: red } = await teams.organization();
  await addRoles(20, id, team.id);
  const name = { name: 'Other' };

  expect((await askAs(owner, { path: `${path(id)}/team-roles`, body: name })).status).toBe(201);
  expect(
    outcomeOf(await askAs(owner, { path: `${red}/roles`, body: { name: 'One more' } })),
  ).toEqual([422, 'limit_reached']);
});

test('a person can be in at most 100 organizations, including those they have left: they can neither join nor create another', async () => {
  const { id } = await teams.organization();
  const bob = await signUp(teams.world, teams.gateway, 'bob');
  await teams.world.query(
    `WITH made AS (
       INSERT INTO organization (id, name) SELECT gen_random_uuid(), 'Acme'
       FROM generate_series(1, 100) RETURNING id
     ), scope AS (
       INSERT INTO authz_scope (kind, id, organization_id)
       SELECT 'membership', gen_random_uuid(), id FROM made RETURNING id, organization_id
     )
     INSERT INTO membership (id, organization_id, account_id, left_at)
     SELECT id, organization_id, $1, now() FROM scope`,
    [bob.account_id],
  );

  await expect(teams.joins.add(id, bob)).rejects.toMatchObject({
    problems: [expect.objectContaining({ code: 'limit_reached' })],
  });
  const created = await askAs(bob, { path: '/api/organizations', body: { name: 'Another' } });
  expect(outcomeOf(created)).toEqual([422, 'limit_reached']);
});

test('a member is in at most 50 teams; deleted ones do not count, even before their seats are removed', async () => {
  const { id, add, owner } = await teams.organization();
  const bob = await teams.join(id, 'bob');
  const addTeams = (count: number, deleted_at: string | null) =>
    teams.world.query(
      `WITH made AS (
         INSERT INTO team (id, organization_id, name, title, description, deleted_at)
         SELECT gen_random_uuid(), $1, 'team-' || gen_random_uuid(), '', '', $4::timestamptz
         FROM generate_series(1, $3::int) RETURNING id
       )
       INSERT INTO team_member (organization_id, team_id, membership_id)
       SELECT $1, made.id, m.id FROM made, membership m
       WHERE m.organization_id = $1 AND m.account_id = $2`,
      [id, bob.account_id, count, deleted_at],
    );
  await addTeams(49, null);
  await addTeams(10, new Date().toISOString());

  expect((await add(owner, bob)).status).toBe(201);

  const other = await createTeam(owner, id, 'blue');
  expect(outcomeOf(await seatsOf(id, other.id).add(owner, bob))).toEqual([422, 'limit_reached']);
});

test('a member has at most 20 roles in a team, whether added directly or by an invitation', async () => {
  const { id, owner, team, path: red } = await teams.organization();
  const bob = await teams.join(id, 'bob');
  const role_ids = Array.from({ length: 21 }, () => randomUUID());
  const added = { path: `${red}/members`, body: { account_id: bob.account_id, role_ids } };
  const seat = [{ team_id: team.id, role_ids }];
  const body = { email: newEmail(), role_ids: [MEMBER], teams: seat };

  for (const request of [added, { path: `${path(id)}/invitations`, body }])
    expect(outcomeOf(await askAs(owner, request))).toEqual([400, 'invalid_body']);
});

test('an organization has at most 100 active keys, even if two are created at once', async () => {
  const { id, owner } = await teams.organization();
  const create = (who = owner) =>
    askAs<{ id: string }>(who, {
      path: `${path(id)}/keys`,
      body: { name: `Key ${randomUUID()}`, mcp_capabilities: [], team_ids: [] },
    });
  const first = await create();
  await teams.world.query(
    `INSERT INTO api_key (id, organization_id, name, secret_hash, secret_prefix, grants,
       mcp_capabilities, tool_policy, resource_policy, prompt_policy, agent_policy)
     SELECT gen_random_uuid(), organization_id, 'key ' || n, ('\\x' || md5(n::text || id))::bytea,
       secret_prefix, grants, mcp_capabilities, tool_policy, resource_policy, prompt_policy,
       agent_policy
     FROM api_key, generate_series(1, 98) AS n WHERE id = $1`,
    [first.body.id],
  );

  const answers = await Promise.all([create(), create(at(owner, teams.otherGateway))]);

  expect(sortedStatuses(answers)).toEqual([201, 422]);
  expect(outcomeOf(await create())).toEqual([422, 'limit_reached']);
});

test('a key names at most 50 teams, and a member has at most 103 roles', async () => {
  const { id, owner } = await teams.organization();
  const bob = await teams.join(id, 'bob');
  const ids = (length: number) => Array.from({ length }, () => randomUUID());
  const key = { name: 'One', mcp_capabilities: [] };
  const requests = (over: 0 | 1) => [
    { path: `${path(id)}/keys`, body: { ...key, team_ids: ids(50 + over) } },
    { path: '/api/keys', body: { ...key, org_scope: id, team_ids: ids(50 + over) } },
    {
      ...{ method: 'PATCH', path: `${path(id)}/members/${bob.account_id}` },
      body: { role_ids: ids(103 + over) },
    },
  ];

  for (const request of requests(1))
    expect(outcomeOf(await askAs(owner, request))).toEqual([400, 'invalid_body']);
  // At the limit the body is accepted, and the ids are refused as unknown.
  for (const request of requests(0)) expect((await askAs(owner, request)).status).toBe(422);
});
