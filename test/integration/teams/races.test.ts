import { expect, test } from 'vitest';
import type { SignedUp } from '../../support/people/people.ts';
import { askAs, at, createRole, driftOf, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { interleaved, untilWaiting } from '../../support/worlds/interleaved.ts';

const teams = await useTeams();

const permissions = [
  'can_create_team_members',
  'can_update_team_members',
  'can_delete_team_members',
];

/** Creates a team, a member of the organization, and a manager who uses the other gateway. */
async function team() {
  const made = await teams.organization();
  const { id, owner, add } = made;
  const shared = `/api/organizations/${id}/team-roles`;
  const managerRole = await createTeamRole(owner, shared, { name: 'Manager', permissions });
  const readerRole = await createTeamRole(owner, shared, { name: 'Reader', permissions: [] });
  // Scopes are locked in the order of their ids, so the manager's changes lock the member's first.
  const member = await teams.join(id);
  const manager = await teams.join(id, 'manager');
  await add(owner, manager, [managerRole.id]);
  const scopeOf = async ({ account_id }: SignedUp) => {
    const [row] = await teams.world.query<{ id: string }>(
      'SELECT id FROM membership WHERE organization_id = $1 AND account_id = $2',
      [id, account_id],
    );
    return row!.id;
  };
  return {
    ...made,
    shared,
    managerRole,
    readerRole,
    member,
    manager: at(manager, teams.otherGateway),
    scopeOf,
  };
}

test('a manager who is demoted between decision and commit cannot add a member', async () => {
  const { owner, member, manager, managerRole, add, setRoles, list, scopeOf } = await team();

  const [granted, demoted] = await interleaved(
    teams.world,
    await scopeOf(member),
    () => add(manager, member, [managerRole.id]),
    () => setRoles(owner, manager, []),
  );

  expect([outcomeOf(granted), outcomeOf(demoted)]).toEqual([[403, 'permission_denied'], [200]]);
  expect((await list(owner)).body.data).toHaveLength(2);
});

test('a caller who is removed from the team between decision and commit gets a 404', async () => {
  const { owner, member, manager, add, remove, scopeOf } = await team();

  const [granted, removed] = await interleaved(
    teams.world,
    await scopeOf(member),
    () => add(manager, member),
    () => remove(owner, manager),
  );

  expect([outcomeOf(granted), outcomeOf(removed)]).toEqual([[404, 'not_found'], [204]]);
});

test('no member is added to a team that is deleted between decision and commit', async () => {
  const { owner, member, path, add, scopeOf, manager } = await team();

  const [granted, deleted] = await interleaved(
    teams.world,
    await scopeOf(member),
    () => add(manager, member),
    () => askAs(owner, { method: 'DELETE', path, body: { confirm: 'red' } }),
  );

  expect([outcomeOf(granted), outcomeOf(deleted)]).toEqual([[404, 'not_found'], [204]]);
});

test('a person who leaves the organization between decision and commit is not added to the team', async () => {
  const { id, owner, member, add } = await team();
  const leave = {
    method: 'DELETE',
    path: `/api/organizations/${id}/members/${member.account_id}`,
  };

  const [granted, left] = await interleaved(
    teams.world,
    owner.account_id,
    () => add(owner, member),
    () => askAs(member, leave),
  );

  expect([outcomeOf(granted), outcomeOf(left)]).toEqual([[422, 'not_a_member'], [204]]);
  expect(
    await teams.world.query(
      `SELECT FROM team_member JOIN membership ON id = membership_id WHERE account_id = $1`,
      [member.account_id],
    ),
  ).toEqual([]);
});

test('a role that is widened between decision and commit beyond the caller’s permissions is not granted', async () => {
  const { owner, member, manager, readerRole, shared, add, scopeOf } = await team();
  const wider = { permissions: ['can_view_team_usage'] };

  const [granted, edited] = await interleaved(
    teams.world,
    await scopeOf(member),
    () => add(manager, member, [readerRole.id]),
    () => askAs(owner, { method: 'PATCH', path: `${shared}/${readerRole.id}`, body: wider }),
  );

  expect([outcomeOf(granted), outcomeOf(edited)]).toEqual([[422, 'permission_not_held'], [200]]);
});

test('a role that is granted in another team between decision and commit is not widened by a caller without permissions there', async () => {
  const { id, owner, member, readerRole, shared } = await team();
  const editorRole = await createRole(owner, id, {
    name: 'Editor',
    permissions: ['can_update_organization_team_roles'],
  });
  const eve = await teams.join(id, 'eve', [editorRole.id]);
  const green = seatsOf(id, (await createTeam(owner, id, 'green')).id);
  const wider = { permissions: ['can_view_team_usage'] };
  // An author must have what a role contains in some team.
  const blue = seatsOf(id, (await createTeam(owner, id, 'blue')).id);
  await blue.add(owner, eve, [
    (await createTeamRole(owner, shared, { name: 'Usage', ...wider })).id,
  ]);

  const [edited, granted] = await interleaved(
    teams.world,
    eve.account_id,
    () => askAs(eve, { method: 'PATCH', path: `${shared}/${readerRole.id}`, body: wider }),
    () => green.add(owner, member, [readerRole.id]),
  );

  expect([outcomeOf(edited), outcomeOf(granted)]).toEqual([[422, 'permission_not_held'], [201]]);
});

test.each(['remove', 'setRoles'] as const)(
  'a member who is promoted above the caller between decision and commit is unchanged (%s)',
  async (change) => {
    const { owner, member, manager, shared, add, setRoles, list, scopeOf, ...made } = await team();
    const usage = { name: 'Above', permissions: ['can_view_team_usage'] };
    const above = await createTeamRole(owner, shared, usage);
    await add(owner, member);
    // No roles would be no change.
    const roles = change === 'setRoles' ? [made.readerRole.id] : [];
    const changeOf = { remove: made.remove, setRoles };

    // Both requests are decided, then wait for the member's scope; the promotion gets it first.
    const [promoted, changed] = await interleaved(
      teams.world,
      await scopeOf(member),
      () => setRoles(owner, member, [above.id]),
      async () => {
        const later = changeOf[change](manager, member, roles);
        await untilWaiting(teams.world, 2);
        return { later };
      },
    );

    const answer = await changed.later;
    expect([outcomeOf(promoted), outcomeOf(answer)]).toEqual([[200], [403, 'permission_denied']]);
    const seats = (await list(owner)).body.data;
    expect(seats.find(({ account_id }) => account_id === member.account_id)!.roles).toEqual([
      { id: above.id, name: 'Above' },
    ]);
  },
);

test('a manager who is demoted while adding members cannot change any member afterwards', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { owner, member, manager, managerRole, add, setRoles } = await team();

    const [demoted, ...granted] = await Promise.all([
      setRoles(owner, manager, []),
      ...Array.from({ length: 4 }, () => add(manager, member, [managerRole.id])),
    ]);

    expect(demoted.status).toBe(200);
    for (const { status } of granted) expect([201, 403, 409]).toContain(status);
    expect(granted.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
    expect((await setRoles(manager, member, [])).status).toBe(
      granted.some(({ status }) => status === 201 || status === 409) ? 403 : 404,
    );
  }
});

test('a person is in at most 50 teams, even if two additions are concurrent', async () => {
  const {
    id,
    owner,
    team: red,
    member,
    add,
  } = await teams.organization().then(async (made) => ({
    ...made,
    member: await teams.join(made.id),
  }));
  const [{ id: membership } = { id: '' }] = await teams.world.query<{ id: string }>(
    'SELECT id FROM membership WHERE organization_id = $1 AND account_id = $2',
    [id, member.account_id],
  );
  // Rows without tuples are enough: only their number matters here.
  await teams.world.query(
    `WITH made AS (
       INSERT INTO team (id, organization_id, name, title, description)
       SELECT gen_random_uuid(), $1, 't' || n, 't', '' FROM generate_series(1, 49) n RETURNING id)
     INSERT INTO team_member (organization_id, team_id, membership_id)
     SELECT $1, id, $2 FROM made`,
    [id, membership],
  );
  const green = seatsOf(id, (await createTeam(owner, id, 'green')).id);

  const answers = await Promise.all([
    add(owner, member),
    green.add(at(owner, teams.otherGateway), member),
  ]);

  expect(answers.map(outcomeOf).toSorted((a, b) => a.length - b.length)).toEqual([
    [201],
    [422, 'limit_reached'],
  ]);
  expect(red.name).toBe('red');
  await teams.world.query(
    `DELETE FROM team_member s USING team t WHERE t.id = s.team_id AND t.name ~ '^t[0-9]+$'`,
  );
});

test('after all these tests the tuples match the rows', async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});
