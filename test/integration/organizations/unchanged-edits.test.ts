import { expect, test } from 'vitest';
import { catalog } from '../../../src/catalog/catalog.ts';
import { askAs, createRole, MEMBER } from '../../support/people/organizations.ts';
import type { SendRequest } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeamRole, TEAM_ADMIN } from '../../support/people/teams.ts';

const content = {
  description: 'Reads.',
  permissions: ['can_view_organization_members', 'can_view_organization_roles'],
  capabilities: ['tools', 'prompts'],
};
const teamContent = { ...content, permissions: ['can_view_team_members', 'can_view_team_roles'] };
const tools = catalog.tools().map(({ id }) => id);
const whitelist = { mode: 'whitelist', tools: tools.slice(0, 2) };

const patch = (what: keyof typeof path, body: object): SendRequest => ({
  ...{ method: 'PATCH', path: path[what], body },
});
const put = (what: string, body: object) =>
  askAs<object>(acme.owner, { method: 'PUT', path: what, body });

const teams = await useTeams();
const acme = await teams.organization();
const organization = `/api/organizations/${acme.id}`;
const role = await createRole(acme.owner, acme.id, { name: 'Reader', ...content });
const shared = await createTeamRole(acme.owner, `${organization}/team-roles`, {
  ...{ name: 'Shared', ...teamContent },
});
const own = await createTeamRole(acme.owner, `${acme.path}/roles`, {
  ...{ name: 'Own', ...teamContent },
});
const bob = await teams.join(acme.id, 'bob', [MEMBER, role.id]);
await acme.add(acme.owner, bob, [TEAM_ADMIN, shared.id]);
await put(`${acme.path}/policies/tool`, whitelist);
const key = await askAs<{ id: string }>(acme.owner, {
  path: `${organization}/keys`,
  body: { name: 'ci', mcp_capabilities: ['tools', 'prompts'], team_ids: [acme.team.id] },
});
expect(key.status).toBe(201);
/** Paths of the records that the edits change. */
const path: Record<'organization' | 'role' | 'shared' | 'own' | 'member' | 'seat' | 'key', string> =
  {
    ...{ organization, role: `${organization}/roles/${role.id}` },
    ...{ shared: `${organization}/team-roles/${shared.id}`, own: `${acme.path}/roles/${own.id}` },
    ...{ member: `${organization}/members/${bob.account_id}`, seat: acme.seat(bob) },
    key: `${organization}/keys/${key.body.id}`,
  };
const roles: { role: string; shared: string } = { role: role.id, shared: shared.id };
const reversed = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.toReversed() : value,
    ]),
  );

/** Returns what a change of authority or of a list would raise, and the number of audit entries. */
const stateOf = async () => ({
  scopes: await teams.world.query(
    'SELECT id, revision, nonce, content FROM authz_scope ORDER BY id',
  ),
  audited: await teams.world.query('SELECT count(*) FROM audit_event'),
});

test.each<[string, () => SendRequest]>([
  ['an empty edit of an organization', () => patch('organization', {})],
  ['the same name of an organization', () => patch('organization', { name: 'Acme' })],
  ['an empty edit of a role', () => patch('role', {})],
  ['the same role', () => patch('role', { name: 'Reader', ...reversed(content) })],
  ['an empty edit of a role for all teams', () => patch('shared', {})],
  ['the same role for all teams', () => patch('shared', reversed(teamContent))],
  ['an empty edit of a role of a team', () => patch('own', {})],
  ['the same role of a team', () => patch('own', { name: 'Own', ...reversed(teamContent) })],
  ['the same roles of a member', () => patch('member', { role_ids: [roles.role, MEMBER, MEMBER] })],
  ['the same roles of a seat', () => patch('seat', { role_ids: [roles.shared, TEAM_ADMIN] })],
  [
    'the same policy of a team',
    () => ({ method: 'PUT', path: `${acme.path}/policies/tool`, body: reversed(whitelist) }),
  ],
  [
    'the same title of a team',
    () => ({ method: 'PATCH', path: acme.path, body: { title: 'red' } }),
  ],
  [
    'the same key',
    () => patch('key', { mcp_capabilities: ['prompts', 'tools'], team_ids: [acme.team.id] }),
  ],
])('%s answers as before, raises no scope and is not audited', async (_what, requestOf) => {
  const { body: _sent, ...request } = requestOf();
  const stored = await askAs(acme.owner, { ...request, method: 'GET' });
  const before = await stateOf();

  const answer = await askAs(acme.owner, requestOf());

  if (stored.status === 200) expect(answer.body).toEqual(stored.body);
  expect(answer.status).toBe(200);
  expect(await stateOf()).toEqual(before);
});

test('an edit that changes only one value of a list raises the organization’s scope', async () => {
  const before = await stateOf();

  const answer = await askAs(acme.owner, patch('role', { capabilities: ['tools', 'agents'] }));

  expect(answer.status).toBe(200);
  expect(await stateOf()).not.toEqual(before);
});
