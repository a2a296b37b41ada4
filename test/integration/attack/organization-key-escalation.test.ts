import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newEmail } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { ADMIN, askAs, createRole, MEMBER } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import { scopedKeys } from '../keys/scoped-keys.ts';
import { create, FAMILIES } from '../organizations/content-items.ts';
import { CAPABILITIES, createAgent, namesIn } from '../organizations/union.ts';

const teams = await useTeams();
const created = await teams.organization();
const { owner } = created;
const path = `/api/organizations/${created.id}/keys`;
const blue = (await createTeam(owner, created.id, 'blue')).id;
for (const team of [created.path, seatsOf(created.id, blue).path])
  for (const family of FAMILIES) await create(owner, team, family);
const role = await createRole(owner, created.id, {
  name: 'Key manager',
  permissions: ['can_create_organization_api_keys', 'can_update_organization_api_keys'],
  capabilities: CAPABILITIES,
});
/** May create and change keys, holds every capability, and is only in the team blue. */
const keyManager = await teams.join(created.id, 'manager', [role.id]);
await seatsOf(created.id, blue).add(owner, keyManager);

const { create: createKey, edit, faults, rest } = scopedKeys(() => teams.otherGateway);
const draft = (fields: object = {}) => ({ mcp_capabilities: CAPABILITIES, ...fields });
const refusal = [422, 'permission_not_held /team_ids'];
const grantOf = (permission: string) => ({
  grants: [{ scope: { type: 'org', org_id: path.split('/')[3] }, permissions: [permission] }],
});

interface Preview {
  visible: { prompts: { name: string }[] };
  errors: { code: string }[];
}
const preview = (who: SignedUp, fields: object = {}) =>
  askAs<Preview>(who, {
    path: `${path}/preview`,
    // The declared schema of an error lacks the fields that some codes add.
    isUndeclared: true,
    body: { name: randomUUID(), ...draft(fields) },
  });

test('a key that follows all teams can be created only by someone who manages every team (G2)', async () => {
  expect(faults(await createKey(keyManager, draft(), path))).toEqual(refusal);
  expect(faults(await createKey(keyManager, draft({ team_ids: null }), path))).toEqual(refusal);

  const bound = await createKey(keyManager, draft({ team_ids: [blue] }), path);
  expect(bound.status).toBe(201);
  expect(await createAgent(teams.otherGateway, bound.body.secret).seen()).toEqual(namesIn('blue'));
  expect(faults(await edit(keyManager, bound.body.id, { team_ids: null }, path))).toEqual(refusal);
});

test('a preview of a key that follows all teams shows nothing from teams that the caller is not in', async () => {
  const { body } = await preview(keyManager);

  expect(body.errors.map(({ code }) => code)).toEqual(['permission_not_held']);
  expect(body.visible.prompts).toMatchObject([{ name: 'blue/guide' }]);
  expect(JSON.stringify(body)).not.toMatch(/red(?:__|\/)/);
});

test('someone who manages every team can create keys that follow all teams, and others may still narrow them', async () => {
  const admin = await teams.join(path.split('/')[3]!, 'admin', [ADMIN]);
  const { body: key } = await createKey(admin, draft(), path);
  const { body: shown } = await preview(admin);

  expect(await createAgent(teams.otherGateway, key.secret).seen()).toEqual({
    ...{ tools: ['blue__guide', 'red__guide'], prompts: ['blue/guide', 'red/guide'] },
    resources: ['toolgate://team/blue/guide.md', 'toolgate://team/red/guide.md'],
    agents: ['blue/guide', 'red/guide'],
  });
  expect(shown.visible.prompts).toMatchObject([{ name: 'blue/guide' }, { name: 'red/guide' }]);
  expect((await edit(keyManager, key.id, { mcp_capabilities: [] }, path)).status).toBe(200);
  expect((await edit(keyManager, key.id, { team_ids: [blue] }, path)).status).toBe(200);
});

test('a caller cannot extend an expired key that has more permissions than they have (G2, C5)', async () => {
  const wide = grantOf('can_update_organization_members');
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const createExpired = async (fields: object) => {
    const { body } = await createKey(owner, draft({ expires_at, ...fields }), path);
    await teams.world.query('UPDATE api_key SET expires_at = now() WHERE id = $1', [body.id]);
    return body.id;
  };
  const refused = [422, 'permission_not_held /expires_at'];
  const revive = (id: string, fields: object = {}) =>
    edit(keyManager, id, { expires_at: null, ...fields }, path);

  const granted = await createExpired({ team_ids: [blue], ...wide });
  expect(faults(await revive(granted))).toEqual(refused);
  expect(faults(await revive(await createExpired({})))).toEqual(refused);
  expect((await edit(keyManager, granted, { name: randomUUID() }, path)).status).toBe(200);
  expect((await revive(granted, { grants: [] })).status).toBe(200);
  expect((await revive(await createExpired({ team_ids: [blue] }))).status).toBe(200);
});

test('a key of the organization cannot invite anyone, even with the permission to invite', async () => {
  const { body: key } = await createKey(owner, grantOf('can_invite_organization_members'), path);
  const body = { email: newEmail(), role_ids: [MEMBER] };
  const invitations = path.replace('keys', 'invitations');

  const refused = await rest(owner, key, { path: invitations, body });

  expect(faults(refused)).toEqual([403, 'permission_denied']);
  expect(JSON.stringify(refused.body)).toContain('A key of the organization cannot invite');
});

test('a key of the organization gives no capability by a role, in the organization or in its team, and cannot change or remove the Owner (C5)', async () => {
  const permissions = [
    'can_create_organization_roles',
    'can_update_organization_members',
    'can_remove_organization_members',
    'can_create_team_roles',
  ];
  const organization = path.replace('/keys', '');
  const grants = [{ scope: { type: 'org', org_id: organization.split('/')[3] }, permissions }];
  const { body: key } = await createKey(owner, draft({ grants, team_ids: [blue] }), path);
  const member = `${organization}/members/${owner.account_id}`;
  const draftRole = { name: randomUUID(), capabilities: ['tools'] };

  for (const at of [organization, `${organization}/teams/${blue}`])
    expect(faults(await rest(owner, key, { path: `${at}/roles`, body: draftRole }))).toEqual([
      ...[422, 'capability_escalation /capabilities/0'],
    ]);
  for (const request of [
    { method: 'PATCH', path: member, body: { role_ids: [MEMBER] } },
    { method: 'DELETE', path: member },
  ] as const)
    expect(faults(await rest(owner, key, request))).toEqual([403, 'permission_denied']);
});
