import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { TeamRoleRecord } from '../../../src/organizations/roles/schema.ts';
import type { TeamRecord } from '../../../src/organizations/teams/schema.ts';
import { sortedStatuses } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { askAs, at, createRole, driftOf, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import {
  createManagedTeam,
  createTeam,
  createTeamRole,
  manager,
  reader,
  seatsOf,
  TEAM_ADMIN,
} from '../../support/people/teams.ts';

const teams = await useTeams();

const usage = 'can_view_team_usage';
const withManager = () => createManagedTeam(teams);

type Listed = { data: TeamRoleRecord[]; next_cursor: string | null };
const edit = (who: SignedUp, path: string, body: object) =>
  askAs<TeamRoleRecord>(who, { method: 'PATCH', path, body });
test('a role is a system role, a role shared by all teams of the organization, or a single team’s own role', async () => {
  const { id, owner, shared, own, managing } = await withManager();
  const green = await createTeam(owner, id, 'green');
  const made = await createTeamRole(owner, own, { ...reader, capabilities: ['tools'] });
  const list = async (path: string) =>
    (await askAs<Listed>(owner, { path })).body.data.map((role) => [
      role.name,
      role.team_id,
      role.members,
    ]);

  expect(made).toMatchObject({ ...reader, system: false, capabilities: ['tools'], members: 0 });
  expect(await list(shared)).toEqual([
    ['team_admin', null, 2],
    ['Manager', null, 1],
  ]);
  expect(await list(own)).toEqual([
    ['team_admin', null, 1],
    ['Manager', null, 1],
    ['Reader', made.team_id, 0],
  ]);
  expect(await list(`${seatsOf(id, green.id).path}/roles`)).toEqual([
    ['team_admin', null, 1],
    ['Manager', null, 0],
  ]);
  expect((await askAs(owner, { path: `${own}/${managing.id}` })).status).toBe(200);
  expect(outcomeOf(await askAs(owner, { path: `${shared}/${made.id}` }))).toEqual([
    404,
    'not_found',
  ]);
});

test.each<[string, object, number, string]>([
  ['no name', {}, 400, 'invalid_body'],
  ['a name in use, in different case', { name: 'mANAGER' }, 409, 'name_taken'],
  ['the name of the system role', { name: 'Team_Admin' }, 409, 'name_taken'],
  [
    'an organization permission',
    { name: 'New', permissions: ['can_view_organization_members'] },
    422,
    'unknown_permission',
  ],
  ['an unknown capability', { name: 'New', capabilities: ['mcp_tools'] }, 400, 'invalid_body'],
])(
  '%s is refused, for a shared role and for a team’s own role',
  async (_what, body, status, code) => {
    const { owner, shared, own } = await withManager();

    for (const path of [shared, own])
      expect(outcomeOf(await askAs(owner, { path, body }))).toEqual([status, code]);
  },
);

test('the name of a team role is unique in the organization, whichever teams have the roles, even for concurrent requests', async () => {
  const { id, owner, shared, own } = await withManager();
  const blue = await createTeam(owner, id, 'blue');
  const other = `${seatsOf(id, blue.id).path}/roles`;
  const lead = await createTeamRole(owner, own, { name: 'Lead' });
  for (const path of [shared, other, own])
    expect(outcomeOf(await askAs(owner, { path, body: { name: 'lEAD' } }))).toEqual([
      ...[409, 'name_taken'],
    ]);
  await createTeamRole(owner, own, { name: 'Οδός Straße' });
  for (const path of [shared, other, own])
    expect(outcomeOf(await askAs(owner, { path, body: { name: 'ΟΔΌΣ STRASSE' } }))).toEqual([
      ...[409, 'name_taken'],
    ]);
  const helper = await createTeamRole(owner, other, { name: 'Helper' });
  const renamed = await edit(owner, `${other}/${helper.id}`, { name: 'LEAD' });
  expect(outcomeOf(renamed)).toEqual([409, 'name_taken']);
  expect((await edit(owner, `${own}/${lead.id}`, { name: 'LEAD' })).status).toBe(200);

  const answers = await Promise.all(
    [shared, own, other].map((path, index) =>
      askAs(at(owner, index % 2 ? teams.gateway : teams.otherGateway), {
        path,
        body: { name: 'Race' },
      }),
    ),
  );
  expect(sortedStatuses(answers)).toEqual([201, 409, 409]);
  // As if the background removal had not reached the team yet.
  await teams.world.query('UPDATE team SET deleted_at = now() WHERE id = $1', [blue.id]);
  expect((await askAs(owner, { path: shared, body: { name: 'Helper' } })).status).toBe(201);
});

test('a role of another team or organization can be neither assigned nor changed in this team', async () => {
  const { id, owner, add, own, mia } = await withManager();
  const green = seatsOf(id, (await createTeam(owner, id, 'green')).id);
  const greenRole = await createTeamRole(owner, `${green.path}/roles`, reader);
  const otherTeam = await withManager();
  const bob = await teams.join(id, 'bob');

  for (const role of [greenRole.id, otherTeam.managing.id, randomUUID()]) {
    expect(outcomeOf(await add(owner, bob, [role]))).toEqual([422, 'unknown_role']);
    expect(outcomeOf(await edit(mia, `${own}/${role}`, { name: 'Mine' }))).toEqual([
      404,
      'not_found',
    ]);
  }
});

test('a role for all teams cannot be changed through the routes of one team', async () => {
  const { owner, own, managing } = await withManager();
  const path = `${own}/${managing.id}`;

  for (const answer of [
    await edit(owner, path, { name: 'Mine' }),
    await askAs(owner, { method: 'DELETE', path }),
  ])
    expect(outcomeOf(answer)).toEqual([422, 'role_of_organization']);
});

test('an edit of a role changes no membership scope, and takes effect for all its members with the next request on every gateway', async () => {
  const { id, owner, shared, managing, path, add } = await withManager();
  const people: SignedUp[] = [];
  for (let index = 0; index < 5; index += 1) people.push(await teams.join(id));
  for (const person of people) await add(owner, person, [managing.id]);
  const list = (person: SignedUp) =>
    askAs(at(person, teams.otherGateway), { path: `${path}/members` });
  for (const person of people) expect((await list(person)).status).toBe(200);
  const revisions = () =>
    teams.world.query<{ sum: string }>(
      `SELECT sum(revision) FROM authz_scope WHERE kind = 'membership'`,
    );
  const before = await revisions();

  const edited = await edit(owner, `${shared}/${managing.id}`, { permissions: [usage] });

  expect(edited.body).toMatchObject({ name: 'Manager', permissions: [usage], members: 6 });
  for (const person of people) expect((await list(person)).status).toBe(403);
  expect(await revisions()).toEqual(before);
});

describe('a caller cannot grant in a team what they do not have there (G2, C5)', () => {
  test('when adding a member: each missing permission and capability is named', async () => {
    const { id, owner, shared, add, setRoles, managing, mia } = await withManager();
    const wider = await createTeamRole(owner, shared, {
      ...{ name: 'Wider', permissions: ['can_view_team_members', usage] },
      capabilities: ['agents'],
    });
    const bob = await teams.join(id, 'bob');

    const refused = await add(mia, bob, [managing.id, wider.id]);

    expect(refused.body.errors?.map(({ code, detail }) => [code, detail])).toEqual([
      ['permission_not_held', { pointer: '/role_ids/1', permission: usage }],
      ['capability_escalation', { pointer: '/role_ids/1', capability: 'agents' }],
    ]);
    expect((await add(mia, bob, [managing.id])).status).toBe(201);
    expect(outcomeOf(await setRoles(mia, mia, [TEAM_ADMIN]))).toEqual([422, 'permission_not_held']);
    // Bob has more permissions than the caller now, so the caller cannot change his roles.
    await setRoles(owner, bob, [wider.id]);
    expect(outcomeOf(await setRoles(mia, bob, [wider.id]))).toEqual([403, 'permission_denied']);
  });

  test('a capability from an organization role may be granted in every team', async () => {
    const { id, owner, add, shared } = await withManager();
    const speakerDraft = { name: 'Speaker', permissions: [], capabilities: ['tools'] };
    const inOrganization = await createRole(owner, id, speakerDraft);
    const speaker = await createTeamRole(owner, shared, speakerDraft);
    const ann = await teams.join(id, 'ann', [inOrganization.id]);
    await add(owner, ann, [TEAM_ADMIN]);
    const [bob, joe] = [await teams.join(id, 'bob'), await teams.join(id, 'joe')];
    await add(owner, bob, [TEAM_ADMIN]);

    // team_admin has every permission and no capability (C4).
    expect(outcomeOf(await add(bob, joe, [speaker.id]))).toEqual([422, 'capability_escalation']);
    expect((await add(ann, joe, [speaker.id])).status).toBe(201);
  });

  test('when creating or editing a role of the team; any permission may be removed', async () => {
    const { owner, own, mia } = await withManager();
    const admin = await createTeamRole(owner, own, { name: 'Other', permissions: [usage] });

    expect(
      outcomeOf(await askAs(mia, { path: own, body: { name: 'New', permissions: [usage] } })),
    ).toEqual([422, 'permission_not_held']);
    const made = await createTeamRole(mia, own, reader);
    expect(
      outcomeOf(await edit(mia, `${own}/${made.id}`, { permissions: ['can_update_team_general'] })),
    ).toEqual([422, 'permission_not_held']);
    expect((await edit(mia, `${own}/${admin.id}`, { permissions: [] })).status).toBe(200);
    // Everything that `team_policies` implies is granted too.
    expect(
      outcomeOf(
        await edit(mia, `${own}/${made.id}`, { permissions: ['can_update_team_policies'] }),
      ),
    ).toEqual([422, 'permission_not_held']);
  });

  test('when editing a role for all teams: in every team where members have it', async () => {
    const { id, owner, shared, add, mia } = await withManager();
    const editorRole = await createRole(owner, id, {
      name: 'Editor',
      permissions: ['can_create_organization_team_roles', 'can_update_organization_team_roles'],
    });
    const eve = await teams.join(id, 'eve', [editorRole.id]);
    const role = await createTeamRole(owner, shared, { name: 'Mine', permissions: [usage] });
    const path = `${shared}/${role.id}`;
    await add(owner, eve, [role.id]);

    // The edit would widen her own permissions.
    expect(outcomeOf(await edit(eve, path, { permissions: manager.permissions }))).toEqual([
      422,
      'permission_not_held',
    ]);
    const green = await createTeam(owner, id, 'green');
    await seatsOf(id, green.id).add(owner, mia, [role.id]);
    await seatsOf(id, (await createTeam(owner, id, 'blue')).id).add(owner, eve, [TEAM_ADMIN]);
    // As an admin of one team she cannot widen the role for the others.
    expect(outcomeOf(await edit(eve, path, { permissions: ['can_view_team_members'] }))).toEqual([
      422,
      'permission_not_held',
    ]);
    expect((await edit(eve, path, { permissions: [] })).status).toBe(200);
  });

  test('a member with more permissions in the team than the caller, such as the Owner, can be neither changed nor removed', async () => {
    const { id, owner, add, setRoles, remove: removeSeat, mia } = await withManager();
    const admin = await teams.join(id, 'admin');
    await add(owner, admin, [TEAM_ADMIN]);
    const powerless = await setRoles(owner, owner, []);
    expect(powerless.status).toBe(200);

    for (const above of [admin, owner]) {
      expect(outcomeOf(await setRoles(mia, above, []))).toEqual([403, 'permission_denied']);
      expect(outcomeOf(await removeSeat(mia, above))).toEqual([403, 'permission_denied']);
    }
    expect((await setRoles(owner, admin, [])).status).toBe(200);
    expect((await removeSeat(mia, admin)).status).toBe(204);
  });
});

test('a member’s permissions in a team are those of their roles there, including implied ones (G1)', async () => {
  const { id, path, mia } = await withManager();

  const { body } = await askAs<TeamRecord>(mia, { path });

  expect(body.membership?.permissions.toSorted()).toEqual(
    [...manager.permissions, 'can_view_team_members', 'can_view_team_roles'].toSorted(),
  );
  expect(id).toBeTypeOf('string');
});

test('after all these tests the tuples match the rows', async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});
