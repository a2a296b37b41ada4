import { expect, test } from 'vitest';
import type { TeamRecord } from '../../../src/organizations/teams/schema.ts';
import { accept, guestOf, inviteTo } from '../../support/people/invitations.ts';
import { askAs, createRole, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { interleaved } from '../../support/worlds/interleaved.ts';

const teams = await useTeams();

/**
 * Creates an organization with a team role that nobody has yet, and with a member who may edit team
 * roles, but has no seat in the team where it is granted.
 */
async function withEditor() {
  const created = await teams.organization();
  const { id, owner, team } = created;
  const editorRole = await createRole(owner, id, {
    name: 'Editor',
    permissions: ['can_update_organization_team_roles'],
  });
  const editor = await teams.join(id, 'editor', [editorRole.id]);
  const path = `/api/organizations/${id}/team-roles`;
  const role = await createTeamRole(owner, path, { name: 'Narrow' });
  // An author must have what a role contains in some team: here, in one that it is not granted in.
  const more = { permissions: ['can_view_team_usage'], capabilities: ['tools'] };
  const elsewhere = await createTeamRole(owner, path, { name: 'Elsewhere', ...more });
  const blue = await createTeam(owner, id, 'blue');
  await seatsOf(id, blue.id).add(owner, editor, [elsewhere.id]);
  return {
    ...{ ...created, editor, seat: { team_id: team.id, role_ids: [role.id] } },
    widen: (body: object) => askAs(editor, { method: 'PATCH', path: `${path}/${role.id}`, body }),
  };
}

test('a team role that a pending invitation grants can be widened only by someone who may grant the addition in that team (G2, C5)', async () => {
  const { id, owner, path, seat, widen } = await withEditor();
  const { guest, token } = await guestOf(teams, owner, id, [seat]);

  const permissions = await widen({ permissions: ['can_view_team_usage'] });
  const capabilities = await widen({ capabilities: ['tools'] });

  expect([outcomeOf(permissions), outcomeOf(capabilities)]).toEqual([
    [422, 'permission_not_held'],
    [422, 'capability_escalation'],
  ]);
  expect((await accept(guest, token)).status).toBe(200);
  const { body } = await askAs<TeamRecord>(guest, { path });
  expect(body.membership).toMatchObject({ permissions: [], capabilities: [] });
});

test('a role is not widened if an invitation with it is created between the decision and the commit', async () => {
  const { id, owner, editor, seat, widen } = await withEditor();

  const [widened, invited] = await interleaved(
    teams.world,
    editor.account_id,
    () => widen({ permissions: ['can_view_team_usage'] }),
    () => inviteTo(owner, id, [seat]),
  );

  expect([outcomeOf(widened), invited.status]).toEqual([[422, 'permission_not_held'], 201]);
});
