import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { TeamRoleRecord } from '../../../src/organizations/roles/schema.ts';
import { createKey } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { askAs, createRole, outcomeOf } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import {
  createManagedTeam,
  createTeam,
  createTeamRole,
  manager,
  seatsOf,
} from '../../support/people/teams.ts';

const teams = await useTeams();

const usage = 'can_view_team_usage';
const withManager = () => createManagedTeam(teams);
const edit = (who: SignedUp, path: string, body: object) =>
  askAs<TeamRoleRecord>(who, { method: 'PATCH', path, body });

test('an author can put into a role for all teams that nobody has only what they have in at least one team (G2, C5)', async () => {
  const { id, owner, shared, add } = await withManager();
  const permissions = [
    'can_create_organization_team_roles',
    'can_update_organization_team_roles',
    'can_view_organization_teams',
  ];
  const author = await createRole(owner, id, { name: 'Author', permissions });
  const eve = await teams.join(id, 'eve', [author.id]);
  const wide = { permissions: [usage, 'can_create_team_roles'], capabilities: ['tools'] };
  const drafts = [{ permissions: [usage] }, { capabilities: ['tools'] }];
  const unused = await createTeamRole(eve, shared, { name: 'Unused' });
  const path = `${shared}/${unused.id}`;

  const refused = await askAs(eve, { path: shared, body: { name: 'Wide', ...wide } });
  expect(refused.status).toBe(422);
  expect(refused.body.errors?.map(({ code, detail }) => [code, detail])).toEqual([
    ['permission_not_held', { pointer: '/permissions/0', permission: usage }],
    ...['can_view_team_roles', 'can_create_team_roles'].map((permission) => [
      ...['permission_not_held', { pointer: '/permissions/1', permission }],
    ]),
    ['capability_escalation', { pointer: '/capabilities/0', capability: 'tools' }],
  ]);
  for (const content of drafts) {
    expect((await askAs(eve, { path: shared, body: { name: 'N', ...content } })).status).toBe(422);
    expect((await edit(eve, path, content)).status).toBe(422);
  }
  // Each is held in one team of two, the capability through a role of the organization.
  await add(owner, eve, [
    (await createTeamRole(owner, shared, { name: 'A', permissions: [usage] })).id,
  ]);
  const green = seatsOf(id, (await createTeam(owner, id, 'green')).id);
  const creating = { name: 'B', permissions: ['can_create_team_roles'] };
  await green.add(owner, eve, [(await createTeamRole(owner, shared, creating)).id]);
  expect((await edit(eve, path, { permissions: wide.permissions })).status).toBe(200);
  expect(outcomeOf(await edit(eve, path, { capabilities: ['tools'] }))).toEqual([
    ...[422, 'capability_escalation'],
  ]);
  await askAs(owner, {
    ...{ method: 'PATCH', path: `/api/organizations/${id}/roles/${author.id}` },
    body: { capabilities: ['tools'] },
  });
  expect((await edit(eve, path, { capabilities: ['tools'] })).status).toBe(200);
  expect((await createTeamRole(eve, shared, { name: 'Wide', ...wide })).members).toBe(0);
  // What a role already contains may stay, and what is removed needs nothing.
  await askAs(owner, { method: 'DELETE', path: green.seat(eve) });
  expect((await edit(eve, path, { ...wide, description: 'x' })).status).toBe(200);
  expect((await edit(eve, path, { permissions: [] })).status).toBe(200);
});

test('who may manage every team may put anything into a role for all teams, without a seat', async () => {
  const { id, owner, shared } = await withManager();
  const permissions = ['can_create_organization_team_roles', 'can_update_all_organization_teams'];
  const role = await createRole(owner, id, { name: 'Manager of teams', permissions });
  const max = await teams.join(id, 'max', [role.id]);
  const draft = { name: 'Max', permissions: manager.permissions };

  expect((await createTeamRole(max, shared, draft)).permissions).toEqual(manager.permissions);
});

test('a key may put into a role for all teams only what it has in a team where it is active', async () => {
  const { id, owner, team, shared } = await withManager();
  const permissions = ['can_create_organization_team_roles', usage];
  const grants = [{ scope: { type: 'org', org_id: id }, permissions }];
  const keyIn = async (team_ids: string[]) =>
    (await createKey(owner, { grants, org_scope: id, team_ids, mcp_capabilities: [] })).secret;
  const draftWith = async (secret: string, granted: string) =>
    owner.person.ask<Errors>({
      path: shared,
      body: { name: randomUUID(), permissions: [granted] },
      headers: { 'x-api-key': secret },
    });
  const [bound, unbound] = [await keyIn([team.id]), await keyIn([])];

  expect((await draftWith(bound, usage)).status).toBe(201);
  for (const [key, name] of [
    [bound, 'can_view_team_members'],
    [unbound, usage],
  ] as const)
    expect(outcomeOf(await draftWith(key, name))).toEqual([422, 'permission_not_held']);
});
