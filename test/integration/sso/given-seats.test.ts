import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, askPresent, createRole, MEMBER } from '../../support/people/organizations.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import type { SsoWorld } from '../../support/people/sso.ts';
import { createTeam, createTeamRole, seatsOf, TEAM_ADMIN } from '../../support/people/teams.ts';
import { scopedKeys } from '../keys/scoped-keys.ts';

let sso: SsoWorld;
beforeAll(async () => {
  sso = await createSsoWorld();
});
afterAll(() => sso?.close());

const { faults } = scopedKeys(() => sso.gateway);

/** Creates an organization with two teams, and a member of both who configures single sign-on. */
async function withConfigurer() {
  const acme = await sso.organization();
  const { id, owner, connection } = acme;
  const limited = await acme.addConfigurer();
  const [red, blue] = [await createTeam(owner, id, 'red'), await createTeam(owner, id, 'blue')];
  for (const team of [red, blue]) await seatsOf(id, team.id).add(owner, limited);
  const adding = await createTeamRole(owner, `/api/organizations/${id}/team-roles`, {
    ...{ name: 'Adding', permissions: ['can_create_team_members'] },
  });
  const send = (who: typeof owner, body: object) =>
    askPresent(who, {
      ...{ method: 'PATCH', path: `${acme.path}/connections/${connection.id}`, body },
    });
  return {
    ...{ id, owner, red, blue, adding },
    /** Lets the configurer add members to a team, and give what this needs there. */
    letAdd: (team: { id: string }) => seatsOf(id, team.id).setRoles(owner, limited, [adding.id]),
    edit: (...teams: object[]) => send(limited, { teams }),
    editRoles: (...role_ids: string[]) => send(limited, { role_ids }),
    editAsOwner: (body: object) => send(owner, body),
  };
}
const seatIn = ({ id }: { id: string }, ...role_ids: string[]) => ({ team_id: id, role_ids });

test('a connection gives seats only where its configurer may add members, with roles that contain no more than the configurer has there (G2)', async () => {
  const { red, adding, letAdd, edit } = await withConfigurer();

  expect(faults(await edit(seatIn(red)))).toEqual([422, 'permission_not_held /teams/0']);
  await letAdd(red);
  expect((await edit(seatIn(red, adding.id))).status).toBe(200);
  const refused = faults(await edit(seatIn(red, adding.id, TEAM_ADMIN)));
  expect(new Set(refused)).toEqual(new Set([422, 'permission_not_held /teams/0/role_ids/1']));
});

test('what a connection gives already is not measured again, and a problem points at the seat in the request', async () => {
  const { red, blue, letAdd, edit, editRoles, editAsOwner } = await withConfigurer();
  const given = seatIn(red, TEAM_ADMIN);
  expect((await editAsOwner({ role_ids: [ADMIN], teams: [given] })).status).toBe(200);

  expect((await editRoles(ADMIN, MEMBER)).status).toBe(200);

  expect(faults(await edit(given, seatIn(blue)))).toEqual([422, 'permission_not_held /teams/1']);
  await letAdd(blue);
  expect((await edit(given, seatIn(blue))).status).toBe(200);
  expect(new Set(faults(await edit(given, seatIn(blue, TEAM_ADMIN))))).toEqual(
    new Set([422, 'permission_not_held /teams/1/role_ids/0']),
  );
});

test('a role for all teams that only a connection gives is changed and replaced by those who have the addition in the teams of the connection (G2)', async () => {
  const { id, owner, red, blue, adding, editAsOwner } = await withConfigurer();
  const shared = `/api/organizations/${id}/team-roles`;
  const empty = await createTeamRole(owner, shared, { name: 'Empty' });
  const editing = await createRole(owner, id, {
    name: 'Editing',
    permissions: [
      ...['can_view_organization', 'can_update_organization_team_roles'],
      'can_delete_organization_team_roles',
    ],
  });
  const editor = await sso.join(id, 'editor', [editing.id]);
  await seatsOf(id, blue.id).add(owner, editor, [TEAM_ADMIN]);
  expect((await editAsOwner({ teams: [seatIn(red, empty.id)] })).status).toBe(200);
  const change = (request: object) => askPresent(editor, request as { path: string });
  const widen = () =>
    change({
      ...{ method: 'PATCH', path: `${shared}/${empty.id}` },
      body: { permissions: ['can_create_team_members'] },
    });
  const replace = () =>
    change({ method: 'DELETE', path: `${shared}/${empty.id}?replace_with=${adding.id}` });

  for (const request of [widen, replace]) expect(faults(await request())[0]).toBe(422);
  await seatsOf(id, red.id).add(owner, editor, [TEAM_ADMIN]);
  expect((await widen()).status).toBe(200);
  expect((await replace()).status).toBe(204);
});
