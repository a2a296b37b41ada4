import { beforeEach, expect, test } from 'vitest';
import type { TeamRecord } from '../../../src/organizations/teams/schema.ts';
import type { TeamRoleRecord } from '../../../src/organizations/roles/schema.ts';
import { askAs, createRole, outcomeOf } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { createKey } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { interleaved, whileLocked } from '../../support/worlds/interleaved.ts';

const usage = 'can_view_team_usage';
const more = { permissions: [usage], capabilities: ['tools'] };
const REFUSED = [
  [422, 'permission_not_held'],
  [422, 'capability_escalation'],
];

let narrow: TeamRoleRecord;
const teams = await useTeams();
const acme = await teams.organization();
const { owner } = acme;
const shared = `/api/organizations/${acme.id}/team-roles`;
const editing = [
  'can_update_organization_team_roles',
  'can_delete_organization_team_roles',
  'can_view_organization_teams',
];
const eve = await teams.join(acme.id, 'eve', [
  (await createRole(owner, acme.id, { name: 'Editor', permissions: editing })).id,
]);
const bob = await teams.join(acme.id, 'bob');
await acme.add(owner, bob);
// Eve has it all in one team, which is not that of the victim.
const blue = await createTeam(owner, acme.id, 'blue');
const wide = await createTeamRole(owner, shared, { name: 'Wide', ...more });
await seatsOf(acme.id, blue.id).add(owner, eve, [wide.id]);

let count = 0;
beforeEach(async () => {
  count += 1;
  narrow = await createTeamRole(acme.owner, shared, { name: `Narrow ${count}` });
  expect((await acme.setRoles(acme.owner, bob, [])).status).toBe(200);
});

const widen = (role: { id: string }, body: object) =>
  askAs(eve, { method: 'PATCH', path: `${shared}/${role.id}`, body });
const widenBoth = async (role: { id: string }) => [
  outcomeOf(await widen(role, { permissions: more.permissions })),
  outcomeOf(await widen(role, { capabilities: more.capabilities })),
];
const heldByBob = async () => {
  const { body } = await askAs<TeamRecord>(bob, { path: acme.path });
  return [body.membership?.permissions, body.membership?.capabilities];
};

test('an editor cannot widen a role that is held in a team where the editor has no seat, until nobody has it (G2)', async () => {
  await acme.setRoles(acme.owner, bob, [narrow.id]);

  expect(await widenBoth(narrow)).toEqual(REFUSED);
  expect(await heldByBob()).toEqual([[], []]);

  await acme.setRoles(acme.owner, bob, []);
  expect(await widenBoth(narrow)).toEqual([[200], [200]]);
});

test('a seat without the addition in that team is not enough', async () => {
  await acme.setRoles(acme.owner, bob, [narrow.id]);
  await acme.add(acme.owner, eve, [narrow.id]);

  expect(await widenBoth(narrow)).toEqual(REFUSED);
  await acme.remove(acme.owner, eve);
});

test('an editor with the addition in one of several teams where a role is held can neither widen nor replace it (G2)', async () => {
  const { id } = acme;
  const zest = await createTeam(owner, id, 'zest');
  const held = [blue, zest].map((team) => seatsOf(id, team.id));
  for (const { add } of held) expect((await add(owner, bob, [narrow.id])).status).toBe(201);
  const path = `${shared}/${narrow.id}?replace_with=${wide.id}`;
  const replace = () => askAs(eve, { method: 'DELETE', path });

  expect(await widenBoth(narrow)).toEqual(REFUSED);
  expect(outcomeOf(await replace())).toEqual([422, 'permission_not_held']);

  await held[1]!.add(owner, eve, [wide.id]);
  expect(await widenBoth(narrow)).toEqual([[200], [200]]);
  expect(outcomeOf(await replace())).toEqual([204]);
  for (const { remove } of held) await remove(owner, bob);
});

test('a role that replaces a deleted one is held in the teams of the deleted one, before and after its holders were moved', async () => {
  const next = await createTeamRole(acme.owner, shared, { name: `Next ${count}` });
  await acme.setRoles(acme.owner, bob, [narrow.id]);
  const [membership] = await teams.world.query<{ id: string }>(
    'SELECT id FROM membership WHERE account_id = $1',
    [bob.account_id],
  );

  await whileLocked(teams.world, membership!.id, async () => {
    const replaced = `${shared}/${narrow.id}?replace_with=${next.id}`;
    expect((await askAs(acme.owner, { method: 'DELETE', path: replaced })).status).toBe(204);
    expect(await widenBoth(next)).toEqual(REFUSED);
  });
  const rows = () => teams.world.query('SELECT FROM team_role WHERE id = $1', [narrow.id]);
  await expect.poll(rows, { timeout: 20_000 }).toEqual([]);
  expect(await widenBoth(next)).toEqual(REFUSED);
  expect(await heldByBob()).toEqual([[], []]);
});

test('an editor cannot replace a held role by one with more, or by the system’s', async () => {
  await acme.setRoles(acme.owner, bob, [narrow.id]);
  const replaceWith = (id: string) =>
    askAs(eve, { method: 'DELETE', path: `${shared}/${narrow.id}?replace_with=${id}` });

  expect((await replaceWith(wide.id)).status).toBe(422);
  expect((await replaceWith('00000000-0000-8000-8000-000000000004')).status).toBe(422);
  expect(await heldByBob()).toEqual([[], []]);
});

test('an editor cannot widen a role that single sign-on gives in a team where the editor has no seat', async () => {
  await teams.world.query(
    `INSERT INTO sso_connection (id, organization_id, name, protocol, configuration, attributes,
       role_ids, seats, may_link)
     VALUES (gen_random_uuid(), $1, 'SAML', 'saml', '{}', '{}', '{}', $2, false)`,
    [acme.id, JSON.stringify([{ team_id: acme.team.id, role_ids: [narrow.id] }])],
  );

  expect(await widenBoth(narrow)).toEqual(REFUSED);
});

test('a key of the editor adds only what it has in each team where the role is held', async () => {
  await acme.setRoles(acme.owner, bob, [narrow.id]);
  const permissions = ['can_update_organization_team_roles', usage];
  const grants = [{ scope: { type: 'org', org_id: acme.id }, permissions }];
  const editAs = async (who: SignedUp, team_ids: string[] | null) => {
    const fields = { grants, org_scope: acme.id, team_ids, mcp_capabilities: [] };
    const { secret } = await createKey(who, fields);
    return outcomeOf(
      await who.person.ask<Errors>({
        ...{ method: 'PATCH', path: `${shared}/${narrow.id}`, body: { permissions: [usage] } },
        headers: { 'x-api-key': secret },
      }),
    );
  };

  expect(await editAs(eve, null)).toEqual([422, 'permission_not_held']);
  expect(await editAs(eve, [blue.id])).toEqual([422, 'permission_not_held']);
  expect(await heldByBob()).toEqual([[], []]);
});

test('a role is not widened if it is given in another team between the decision and the commit', async () => {
  const [widened, given] = await interleaved(
    teams.world,
    eve.account_id,
    () => widen(narrow, { permissions: [usage] }),
    () => acme.setRoles(acme.owner, bob, [narrow.id]),
  );

  expect([outcomeOf(widened), given.status]).toEqual([[422, 'permission_not_held'], 200]);
  expect(await heldByBob()).toEqual([[], []]);
});
