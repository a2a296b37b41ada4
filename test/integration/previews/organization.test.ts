import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ChangePreview } from '../../../src/previews/schema.ts';
import { everyTeam } from '../../support/access/permissions.ts';
import { askAs, createRole, outcomeOf } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeamRole, TEAM_ADMIN } from '../../support/people/teams.ts';
import { toolId } from '../mcp/key-holder.ts';

const teams = await useTeams();

const FULL = ['tools', 'prompts', 'resources', 'agents'];

/** Creates an organization with a member in the team, and the member's key that follows teams. */
async function createAcme() {
  const created = await teams.organization();
  const { id, owner, path: team } = created;
  const base = `/api/organizations/${id}`;
  const tools = ['calculator', 'hash'].map(toolId);
  const select = (organization_wide_tools: string[]) => ({
    ...{ tools, organization_wide_tools },
    ...{ platform_prompts: [], organization_wide_prompts: [] },
  });
  await askAs(owner, { method: 'PUT', path: `${base}/mcp-settings`, body: select([]) });
  const closed = { mode: 'whitelist', tools: [toolId('calculator')] };
  await askAs(owner, { method: 'PUT', path: `${team}/policies/tool`, body: closed });
  const role = await createRole(owner, id, {
    ...{ name: 'worker', capabilities: FULL },
    permissions: ['can_view_organization_roles'],
  });
  const mia = await teams.join(id, 'mia', [role.id]);
  await created.add(owner, mia);
  const key = await keyOf(mia, '/api/keys', { org_scope: id });
  const shared = await keyOf(owner, `${base}/keys`, {});
  return { ...created, base, team, role, mia, key, shared, select };
}

async function keyOf(who: SignedUp, path: string, fields: object): Promise<{ id: string }> {
  const body = { name: `key ${randomUUID()}`, mcp_capabilities: FULL, ...fields };
  const { status, body: key } = await askAs<{ id: string }>(who, { path, body });
  expect(status).toBe(201);
  return key;
}

async function preview(who: SignedUp, path: string, body: object): Promise<ChangePreview> {
  const { status, body: seen } = await askAs<ChangePreview>(who, { path: `${path}/preview`, body });
  expect([path, status, seen]).toEqual([path, 200, expect.anything()]);
  return seen;
}

const names = (items: readonly { name: string }[]) => items.map(({ name }) => name);
const changes = ({ gained, lost }: ChangePreview) =>
  Object.fromEntries(
    [...gained, ...lost].map(({ subject: { id } }) => {
      const [gain, loss] = [gained, lost].map((effects) =>
        effects.find(({ subject }) => subject.id === id),
      );
      const tools = [gain, loss].map((effect) => names(effect?.items.tools ?? []));
      return [id, [...tools, gain?.permissions ?? [], loss?.permissions ?? []]];
    }),
  );
const whitelist = (...tools: string[]) => ({ mode: 'whitelist', tools: tools.map(toolId) });

test('a preview of a team’s policy shows the credentials that are bound to the team or follow it', async () => {
  const { owner, base, team, key, shared, mia } = await createAcme();
  await keyOf(owner, `${base}/keys`, { team_ids: [] });

  const seen = await preview(owner, `${team}/policies/tool`, whitelist('hash'));

  const swapped = [['hash'], ['calculator'], [], []];
  expect(changes(seen)).toEqual({ [key.id]: swapped, [shared.id]: swapped });
  expect([seen.examined, seen.total]).toEqual([2, 2]);
  expect(seen.gained.map(({ subject }) => [subject.kind, subject.account_id])).toEqual([
    ['key', mia.account_id],
    ['organization_key', null],
  ]);
});

test('a preview of an organization’s settings shows every credential in it', async () => {
  const { owner, base, key, shared, select } = await createAcme();

  const seen = await preview(owner, `${base}/mcp-settings`, select([toolId('hash')]));

  const gained = [['hash'], [], [], []];
  expect(changes(seen)).toEqual({ [key.id]: gained, [shared.id]: gained });
});

test('a preview of a role shows its members’ permissions, and what their credentials see', async () => {
  const { owner, base, role, mia, key } = await createAcme();
  const edit = { permissions: ['can_view_organization_members'], capabilities: ['prompts'] };

  const seen = await preview(owner, `${base}/roles/${role.id}`, edit);

  expect(changes(seen)).toEqual({
    [mia.account_id]: [
      ...[[], [], ['can_view_organization_members']],
      ['can_view_organization_roles'],
    ],
    [key.id]: [[], ['calculator'], [], []],
  });
  expect(seen.gained[0]!.subject).toEqual({
    ...{ kind: 'member', id: mia.account_id, name: mia.email, account_id: mia.account_id },
  });
});

test('a preview of a member’s roles shows the permissions that the member and granted keys lose', async () => {
  const { owner, id, base, mia } = await createAcme();
  const bare = await createRole(owner, id, { name: 'bare' });
  const scope = { type: 'org', org_id: id };
  const granted = await keyOf(mia, '/api/keys', {
    grants: [{ scope, permissions: ['can_view_organization_roles'] }],
  });

  const path = `${base}/members/${mia.account_id}`;
  const seen = changes(await preview(owner, path, { role_ids: [bare.id] }));

  const lost = [[], [], [], ['can_view_organization_roles']];
  expect([seen[mia.account_id], seen[granted.id]]).toEqual([lost, lost]);
});

test('a preview of a team member shows what the member and the member’s credentials gain in the team', async () => {
  const { owner, id, team, role: worker, mia } = await createAcme();
  const other = await teams.join(id, 'noa', [worker.id]);
  const role = await createTeamRole(owner, `${team}/roles`, {
    ...{ name: 'reader', permissions: ['can_view_team_members'], capabilities: ['tools'] },
  });
  const key = await keyOf(other, '/api/keys', { org_scope: id });

  const body = { account_id: other.account_id, role_ids: [role.id] };
  const added = await preview(owner, `${team}/members`, body);
  const changed = await preview(owner, `${team}/members/${mia.account_id}`, {
    role_ids: [role.id],
  });
  const promoted = await preview(owner, `${team}/members/${mia.account_id}`, {
    role_ids: [TEAM_ADMIN],
  });

  expect(changes(added)).toEqual({
    [other.account_id]: [[], [], ['can_view_team_members'], []],
    [key.id]: [['calculator'], [], [], []],
  });
  expect(changes(changed)[mia.account_id]).toEqual([[], [], ['can_view_team_members'], []]);
  expect(changes(promoted)[mia.account_id]![2]).toHaveLength(40);
});

test('a person who manages every team gains no permission by joining one', async () => {
  const { owner, id, team } = await createAcme();
  const managing = await createRole(owner, id, { name: 'managing', permissions: [everyTeam] });
  const noa = await teams.join(id, 'noa', [managing.id]);

  const body = { account_id: noa.account_id, role_ids: [TEAM_ADMIN] };
  const { gained, lost, total } = await preview(owner, `${team}/members`, body);

  expect([gained, lost, total]).toEqual([[], [], 1]);
});

test('the errors are those that the change returns, and then nobody gains or loses anything', async () => {
  const { owner, base, team, role, mia } = await createAcme();
  const unknown = { role_ids: [randomUUID()] };
  const refused: [method: string, path: string, body: object][] = [
    ['PUT', `${base}/mcp-settings`, { ...emptySettings, tools: [randomUUID()] }],
    ['PUT', `${team}/policies/tool`, { mode: 'whitelist', tools: [randomUUID()] }],
    ['PATCH', `${base}/roles/${role.id}`, { name: 'admin' }],
    ['PATCH', `${base}/members/${owner.account_id}`, { role_ids: [role.id] }],
    ['PATCH', `${base}/members/${mia.account_id}`, unknown],
    ['POST', `${team}/members`, { account_id: randomUUID() }],
    ['POST', `${team}/members`, { account_id: mia.account_id }],
    ['PATCH', `${team}/members/${mia.account_id}`, unknown],
  ];

  for (const [method, path, body] of refused) {
    const { errors, gained, lost } = await preview(owner, path, body);
    const made = await askAs(owner, { method, path, body });
    expect([path, gained, lost, errors]).toEqual([path, [], [], made.body.errors]);
    expect(errors.length).toBeGreaterThan(0);
  }
});

const emptySettings = {
  ...{ tools: [], organization_wide_tools: [] },
  ...{ platform_prompts: [], organization_wide_prompts: [] },
};

test('a malformed body is rejected like by the change', async () => {
  const { owner, base, team, role, mia } = await createAcme();
  const malformed: [path: string, body: object][] = [
    [`${base}/mcp-settings`, {}],
    [`${team}/policies/tool`, {}],
    [`${base}/roles/${role.id}`, { permissions: 'all' }],
    [`${base}/members/${mia.account_id}`, {}],
    [`${team}/members`, {}],
    [`${team}/members/${mia.account_id}`, {}],
  ];
  for (const [path, body] of malformed) {
    const answer = await askAs(owner, { path: `${path}/preview`, body });
    expect([path, ...outcomeOf(answer)]).toEqual([path, 400, 'invalid_body']);
  }
});

test('a viewer without the permission to view others sees and counts only what is the viewer’s own', async () => {
  const { owner, id, base, team, role, mia, add } = await createAcme();
  const editor = await createRole(owner, id, {
    ...{ name: 'editor', capabilities: FULL },
    permissions: ['can_update_organization_roles', 'can_view_organization_roles'],
  });
  const policies = await createTeamRole(owner, `${team}/roles`, {
    ...{ name: 'policies', capabilities: FULL },
    permissions: ['can_update_team_tool_policies'],
  });
  const eve = await teams.join(id, 'eve', [editor.id, role.id]);
  await add(owner, eve, [policies.id]);
  const own = await keyOf(eve, '/api/keys', { org_scope: id });

  const byRole = await preview(eve, `${base}/roles/${role.id}`, { permissions: [] });
  const byPolicy = await preview(eve, `${team}/policies/tool`, whitelist('hash'));
  const whole = await preview(owner, `${base}/roles/${role.id}`, { permissions: [] });

  expect([byRole.total, byPolicy.total]).toEqual([2, 1]);
  expect(Object.keys(changes(byPolicy))).toEqual([own.id]);
  expect(JSON.stringify([byRole, byPolicy])).not.toContain(mia.account_id);
  expect(whole.total).toBe(4);
});

test('a person who may not view an organization’s keys does not see or count them', async () => {
  const { owner, id, base, select, shared } = await createAcme();
  const setter = await createRole(owner, id, {
    ...{ name: 'setter', permissions: ['can_update_organization_mcp_settings'] },
  });
  const eve = await teams.join(id, 'eve', [setter.id]);

  const seen = await preview(eve, `${base}/mcp-settings`, select([toolId('hash')]));

  expect([seen.gained, seen.lost, seen.total]).toEqual([[], [], 0]);
  expect(JSON.stringify(seen)).not.toContain(shared.id);
});

test('another member’s own items, and items of teams that the viewer is not in, are not shown', async () => {
  const { owner, id, base, team, role, mia, key } = await createAcme();
  const prompt = (name: string) => ({ name, messages: [{ role: 'user', content: 'x' }] });
  await askAs(mia, { path: `${base}/me/prompts`, body: prompt('own_plan') });
  await askAs(owner, { path: `${team}/prompts`, body: prompt('team_plan') });
  const viewer = await createRole(owner, id, {
    ...{ name: 'viewer', capabilities: FULL },
    permissions: [
      ...['can_update_organization_roles', 'can_view_organization_members'],
      'can_view_organization_api_keys',
    ],
  });
  const eve = await teams.join(id, 'eve', [viewer.id, role.id]);

  const edit = { capabilities: [] };
  const byOwner = await preview(owner, `${base}/roles/${role.id}`, edit);
  const byEve = await preview(eve, `${base}/roles/${role.id}`, edit);

  const lostBy = ({ lost }: ChangePreview) =>
    lost.flatMap(({ subject, items }) => (subject.id === key.id ? [items] : []));
  expect(lostBy(byOwner)).toMatchObject([
    { tools: [{ name: 'calculator' }], prompts: [{ name: 'red/team_plan' }] },
  ]);
  expect(lostBy(byEve)).toMatchObject([{ tools: [{ name: 'calculator' }], prompts: [] }]);
  expect(JSON.stringify([byOwner, byEve])).not.toContain('own_plan');
});
