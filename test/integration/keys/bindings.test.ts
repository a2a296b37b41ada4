import { afterAll, expect, test } from 'vitest';
import { ADMIN, askAs, driftOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { scopedKeys } from './scoped-keys.ts';

const teams = await useTeams();
const created = await teams.organization();
const { owner, id: acme } = created;
const red = created.team.id;
const blue = (await createTeam(owner, acme, 'blue')).id;
const draft = {
  name: 'Tooling',
  capabilities: ['tools'],
  permissions: ['can_view_team_members'],
};
const tooling = (await createTeamRole(owner, `/api/organizations/${acme}/team-roles`, draft)).id;
afterAll(async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});

const { create, edit, faults, call, rest } = scopedKeys(() => teams.otherGateway);

/** Adds a member with the Tools capability only in team red, and a seat without roles in blue. */
async function joinTeams() {
  const creator = await teams.join(acme, 'may');
  await seatsOf(acme, red).add(owner, creator, [tooling]);
  await seatsOf(acme, blue).add(owner, creator);
  return creator;
}
const namesOf = (body: { teams?: { name: string; available: boolean }[] }) =>
  body.teams?.map(({ name, available }) => (available ? name : `(${name})`));
const toolsIn = (team_ids: string[] | null) => ({
  ...{ org_scope: acme, mcp_capabilities: ['tools'], team_ids },
});

test('a capability of a team role counts where the key is active on the team (C3)', async () => {
  const creator = await joinTeams();
  const following = await create(creator, toolsIn(null));
  const bound = await create(creator, toolsIn([red]));
  const boundToBlue = await create(creator, toolsIn([blue]));
  expect(faults(boundToBlue)).toEqual([422, 'capability_escalation /mcp_capabilities/0']);
  const boundToNone = await create(creator, toolsIn([]));
  expect(faults(boundToNone)).toEqual([422, 'capability_escalation /mcp_capabilities/0']);

  expect([namesOf(following.body), namesOf(bound.body)]).toEqual([['blue', 'red'], ['red']]);
  expect(await call(following.body.secret)).toBe('tool_not_permitted');
  expect(await call(bound.body.secret)).toBe('tool_not_permitted');
});

test('re-binding checks all capabilities again, and takes effect at the next request (C5)', async () => {
  const creator = await joinTeams();
  const { body: key } = await create(creator, toolsIn([red, blue]));
  expect(await call(key.secret)).toBe('tool_not_permitted');

  const refused = await edit(creator, key.id, { team_ids: [blue] });
  expect(faults(refused)).toEqual([422, 'capability_escalation /team_ids']);
  const cleared = await edit(creator, key.id, { team_ids: [blue], mcp_capabilities: [] });
  expect([cleared.status, namesOf(cleared.body)]).toEqual([200, ['blue']]);
  expect(await call(key.secret)).toBe('capability_denied');
  const back = await edit(creator, key.id, { team_ids: null, mcp_capabilities: ['tools'] });
  expect([back.status, back.body['follows_memberships']]).toEqual([200, true]);
  expect(await call(key.secret)).toBe('tool_not_permitted');
});

test('a team that is not the creator’s is refused like one that does not exist', async () => {
  const creator = await joinTeams();
  const green = (await createTeam(owner, acme, 'green')).id;
  const { team: foreign } = await teams.organization();

  for (const team_ids of [[green], [foreign.id], ['0190aaaa-0000-7000-8000-0000000000ff']])
    expect(faults(await create(creator, { org_scope: acme, team_ids }))).toEqual([
      422,
      'unknown_team /team_ids/0',
    ]);
  expect(faults(await create(creator, { team_ids: [red] }))).toEqual([
    422,
    'unknown_team /team_ids/0',
  ]);
  const admin = await teams.join(acme, 'admin', [ADMIN]);
  const bound = await create(admin, { org_scope: acme, team_ids: [green] });
  expect([bound.status, namesOf(bound.body)]).toEqual([201, ['green']]);
});

test('a bound team is unavailable while the key’s owner has no seat in it (K1, SC3)', async () => {
  const creator = await joinTeams();
  const { body: key } = await create(creator, toolsIn([red]));
  await seatsOf(acme, red).remove(owner, creator);
  expect(await call(key.secret)).toBe('capability_denied');
  const shown = await askAs<{ teams: { name: string | null; available: boolean }[] }>(creator, {
    path: `/api/keys/${key.id}`,
  });
  expect(shown.body.teams).toEqual([{ id: red, name: null, available: false }]);

  await seatsOf(acme, red).add(owner, creator, [tooling]);
  expect(await call(key.secret)).toBe('tool_not_permitted');
  await askAs(creator, { method: 'DELETE', path: `/api/keys/${key.id}` });
  expect(await call(key.secret)).toBe(401);
});

test('a team permission needs a grant, a binding to the team, and a person who holds it (G2, SC3)', async () => {
  const creator = await joinTeams();
  const grants = (...permissions: string[]) => [
    { scope: { type: 'org', org_id: acme }, permissions },
  ];
  const bound = { org_scope: acme, team_ids: [red], grants: grants('can_view_team_members') };
  const { body: key } = await create(creator, bound);
  const members = (team: string) => ({ path: `/api/organizations/${acme}/teams/${team}/members` });

  expect((await rest(creator, key, members(red))).status).toBe(200);
  expect((await rest(creator, key, members(blue))).status).toBe(404);
  const unbound = await create(creator, { grants: grants('can_view_team_members') });
  expect((await rest(creator, unbound.body, members(red))).status).toBe(404);
  const wider = await create(creator, { ...bound, grants: grants('can_delete_team_members') });
  expect(faults(wider)).toEqual([422, 'permission_not_held /grants/0/permissions/0']);
  const other = await edit(creator, key.id, { team_ids: [blue] });
  expect(faults(other)).toEqual([422, 'permission_not_held /team_ids']);
});

test('from the next request on, a deleted team gives nothing to keys that follow it or are bound to it (C3)', async () => {
  const creator = await joinTeams();
  const team = await createTeam(owner, acme, 'short');
  await seatsOf(acme, team.id).add(owner, creator, [tooling]);
  await seatsOf(acme, red).remove(owner, creator);
  const following = await create(creator, toolsIn(null));
  const bound = await create(creator, toolsIn([team.id]));
  expect(await call(following.body.secret)).toBe('tool_not_permitted');

  // As if the background removal had not reached this team yet.
  await teams.world.query('UPDATE team SET deleted_at = now() WHERE id = $1', [team.id]);
  expect(await call(following.body.secret)).toBe('capability_denied');
  expect(await call(bound.body.secret)).toBe('capability_denied');
  const path = `/api/organizations/${acme}`;
  await askAs(owner, { method: 'PATCH', path, body: { name: 'Acme' } });
  // Any deletion starts the removal of all deleted teams.
  const other = await createTeam(owner, acme, 'other');
  const deletion = { method: 'DELETE', path: `${path}/teams/${other.id}` } as const;
  await askAs(owner, { ...deletion, body: { confirm: 'other' } });
  await expect
    .poll(() => teams.world.query('SELECT FROM api_key_team WHERE team_id = $1', [team.id]))
    .toEqual([]);
});
