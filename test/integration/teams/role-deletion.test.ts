import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SignedUp } from '../../support/people/people.ts';
import { askAs, driftOf, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import {
  createManagedTeam,
  createTeam,
  createTeamRole,
  reader,
  TEAM_ADMIN,
} from '../../support/people/teams.ts';
import { whileLocked } from '../../support/worlds/interleaved.ts';

const teams = await useTeams();

const usage = 'can_view_team_usage';
/** Waits until nobody has a deleted role any more. */
const untilRemoved = (role: string) =>
  expect
    .poll(() => teams.world.query('SELECT id FROM team_role WHERE id = $1', [role]), {
      timeout: 20_000,
    })
    .toEqual([]);
const withManager = () => createManagedTeam(teams);
const remove = (who: SignedUp, path: string, replace_with?: string) =>
  askAs(who, {
    method: 'DELETE',
    path: replace_with === undefined ? path : `${path}?replace_with=${replace_with}`,
  });

describe('deleting a role', () => {
  test('counts each single sign-on connection that gives the role once, in however many teams', async () => {
    const { id, owner, team } = await teams.organization();
    const shared = `/api/organizations/${id}/team-roles`;
    const role = await createTeamRole(owner, shared, reader);
    const seats = [team, await createTeam(owner, id, 'blue')].map(({ id: team_id }) => ({
      ...{ team_id, role_ids: [role.id] },
    }));
    await teams.world.query(
      `INSERT INTO sso_connection (id, organization_id, name, protocol, configuration, attributes,
         role_ids, seats, may_link)
       VALUES (gen_random_uuid(), $1, 'SAML', 'saml', '{}', '{}', '{}', $2, false)`,
      [id, JSON.stringify(seats)],
    );

    const refused = await remove(owner, `${shared}/${role.id}`);

    expect([outcomeOf(refused), refused.body.errors?.[0]?.detail]).toEqual([
      [409, 'role_in_use'],
      { members: 0, invitations: 0, connections: 1 },
    ]);
  });

  test('is refused with the member count, unless a replacement is named', async () => {
    const { id, owner, shared, managing, list, add } = await withManager();
    const readerRole = await createTeamRole(owner, shared, reader);
    for (let index = 0; index < 2; index += 1)
      await add(owner, await teams.join(id), [managing.id]);
    const path = `${shared}/${managing.id}`;

    const refused = await remove(owner, path);

    expect([outcomeOf(refused), refused.body.errors?.[0]?.detail]).toEqual([
      [409, 'role_in_use'],
      { members: 3, invitations: 0, connections: 0 },
    ]);
    expect(outcomeOf(await remove(owner, path, managing.id))).toEqual([422, 'unknown_role']);
    expect(outcomeOf(await remove(owner, path, randomUUID()))).toEqual([422, 'unknown_role']);
    expect((await remove(owner, path, readerRole.id)).status).toBe(204);
    const seats = (await list(owner, '?limit=100')).body.data;
    expect(seats.filter(({ roles }) => roles[0]?.id === readerRole.id)).toHaveLength(3);
    expect((await askAs(owner, { path })).status).toBe(404);
    const scopes = `SELECT kind, id FROM authz_outbox
      WHERE reason = 'team_role.delete' AND actor->>'id' = $1`;
    expect(await teams.world.query(scopes, [owner.account_id])).toEqual([
      { kind: 'organization', id },
    ]);
    await untilRemoved(managing.id);
    expect(await driftOf(teams.gateway)).toEqual([]);
  });

  test('gives members what the replacement contains, even as it changes before their rows do', async () => {
    const { own, owner, mia, managing, shared, list, path, setRoles, id } = await withManager();
    const wide = { name: 'Wide', permissions: ['can_view_team_roles', usage] };
    const replacement = await createTeamRole(owner, shared, wide);
    const uses = { path: `${path}/usage` };
    const rolesOf = async ({ account_id }: SignedUp) =>
      (await list(owner)).body.data
        .find((seat) => seat.account_id === account_id)!
        .roles.map(({ name }) => name);
    const both = await teams.join(id);
    await askAs(owner, {
      path: `${path}/members`,
      body: { account_id: both.account_id, role_ids: [managing.id, replacement.id] },
    });
    const [membership] = await teams.world.query<{ id: string }>(
      'SELECT id FROM membership WHERE account_id = $1',
      [mia.account_id],
    );

    await whileLocked(teams.world, membership!.id, async () => {
      expect((await remove(owner, `${shared}/${managing.id}`, replacement.id)).status).toBe(204);
      expect((await askAs(mia, uses)).status).toBe(200);
      expect([await rolesOf(mia), await rolesOf(both)]).toEqual([['Wide'], ['Wide']]);

      const record = `${shared}/${replacement.id}`;
      const body = { name: 'Viewing', permissions: ['can_view_team_roles'] };
      expect((await askAs(owner, { method: 'PATCH', path: record, body })).status).toBe(200);
      expect(outcomeOf(await askAs(mia, uses))).toEqual([403, 'permission_denied']);
      expect((await askAs(mia, { path: own })).status).toBe(200);
      expect(await rolesOf(mia)).toEqual(['Viewing']);

      expect((await remove(owner, record, TEAM_ADMIN)).status).toBe(204);
      expect((await askAs(mia, uses)).status).toBe(200);
      // A member's roles are replaced as a whole, the deleted one included.
      expect((await setRoles(owner, both, [])).status).toBe(200);
    });

    for (const removed of [managing, replacement]) await untilRemoved(removed.id);
    expect([await rolesOf(mia), await rolesOf(both)]).toEqual([['team_admin'], []]);
    expect(await driftOf(teams.gateway)).toEqual([]);
  });

  test('requires that the caller may grant the replacement in every team where members have the role', async () => {
    const { own, owner, mia, add, id } = await withManager();
    const readerRole = await createTeamRole(owner, own, reader);
    const wide = await createTeamRole(owner, own, { name: 'Wide', permissions: [usage] });
    await add(owner, await teams.join(id), [readerRole.id]);
    const path = `${own}/${readerRole.id}`;

    expect(outcomeOf(await remove(mia, path, wide.id))).toEqual([422, 'permission_not_held']);
    expect(outcomeOf(await remove(mia, path, TEAM_ADMIN))).toEqual([422, 'permission_not_held']);
    const narrow = await createTeamRole(mia, own, { name: 'Narrow', permissions: [] });
    expect((await remove(mia, path, narrow.id)).status).toBe(204);
  });
});

test('deleting a team deletes its own roles', async () => {
  const { owner, own, path, team } = await withManager();
  const role = await createTeamRole(owner, own, reader);

  await askAs(owner, { method: 'DELETE', path, body: { confirm: 'red' } });

  expect(outcomeOf(await askAs(owner, { path: `${own}/${role.id}` }))).toEqual([404, 'not_found']);
  const left = () => teams.world.query('SELECT id FROM team WHERE id = $1', [team.id]);
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  expect(await teams.world.query('SELECT id FROM team_role WHERE id = $1', [role.id])).toEqual([]);
});
