import { expect, test } from 'vitest';
import { catalog } from '../../../src/catalog/catalog.ts';
import type { OrganizationAuditRecord } from '../../../src/audit/schema.ts';
import { askAs } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { patch } from './content-items.ts';

const teams = await useTeams();

const detailsOf = async (who: SignedUp, path: string, prefix: string) => {
  const { body } = await askAs<{ data: OrganizationAuditRecord[] }>(who, {
    path: `${path}/audit?action=${prefix}`,
  });
  return body.data.map(({ action, detail }) => [action, detail]);
};
const grantOf = (org_id: string, ...permissions: string[]) => ({
  scope: { type: 'org', org_id },
  permissions,
});
const remove = (who: SignedUp, path: string) => askAs(who, { method: 'DELETE', path });

/** What a key has unless it is given something else. */
const defaults = { tool_listing: 'all', allowed_addresses: null, hours: null };

test('the audit log has the values of an organization’s key before and after each change, without its secret', async () => {
  const { id, owner, team } = await teams.organization();
  const organization = `/api/organizations/${id}`;
  const path = `${organization}/keys`;
  const draft = { name: 'ci', mcp_capabilities: ['tools'], grants: [grantOf(id)] };
  const { body: key } = await askAs<{ id: string; secret: string }>(owner, { path, body: draft });
  const edit = { name: 'deploy', mcp_capabilities: [], team_ids: [team.id] };
  expect((await patch(owner, `${path}/${key.id}`, edit)).status).toBe(200);
  await remove(owner, `${path}/${key.id}`);

  const nothing = { default_agent_id: null, expires_at: null, ...defaults };
  const before = { ...draft, ...nothing, runs_in: id, follows_teams: true, team_ids: null };
  const after = { ...before, ...edit, follows_teams: false };
  const details = await detailsOf(owner, organization, 'key.');
  expect(details).toEqual([
    ['key.revoke', { before: after }],
    ['key.update', { before, after }],
    ['key.create', { after: before }],
  ]);
  expect(JSON.stringify(details)).not.toContain(key.secret);
});

test('the audit log has all item policies of a key whole, before and after each change, and names those that changed', async () => {
  const { owner } = await teams.organization();
  const [one, two, three] = catalog.tools().map(({ id }) => id);
  const whitelist = (...tools: unknown[]) => ({ mode: 'whitelist', tools });
  const resource_policy = { mode: 'blacklist', patterns: ['secret/**'] };
  const draft = { name: 'agent', mcp_capabilities: ['tools'], resource_policy };
  const { body: key } = await askAs<{ id: string; secret: string }>(owner, {
    ...{ path: '/api/keys', body: draft },
  });
  const edit = (body: object) => patch(owner, `/api/keys/${key.id}`, body);
  for (const tool_policy of [whitelist(one, two), whitelist(one, three)])
    expect((await edit({ tool_policy })).status).toBe(200);
  expect((await edit({ name: 'helper' })).status).toBe(200);
  await remove(owner, `/api/keys/${key.id}`);

  const details = await detailsOf(owner, '/api/me', 'key.');

  const all = { mode: 'all' };
  const created = { tool_policy: all, prompt_policy: all, agent_policy: all, resource_policy };
  const [revoked, renamed, replaced, narrowed, made] = details.map(([, detail]) => detail);
  const first = { ...created, tool_policy: whitelist(one, two) };
  const last = { ...created, tool_policy: whitelist(one, three) };
  expect(made).toMatchObject({ after: created });
  const policies = ['tool_policy'];
  expect(narrowed).toMatchObject({ before: created, after: first, policies });
  expect(replaced).toMatchObject({ before: first, after: last, policies });
  expect(renamed).toMatchObject({
    before: { ...last, name: 'agent' },
    after: { ...last, name: 'helper' },
  });
  expect(renamed).not.toHaveProperty('policies');
  expect(revoked).toMatchObject({ before: last });
  expect(JSON.stringify(details)).not.toContain(key.secret);
});

test('an organization’s audit log has only what concerns the organization of a person’s key, and the person’s has everything', async () => {
  const [one, two] = [await teams.organization(), await teams.organization()];
  const bob = await teams.join(one.id, 'bob');
  await teams.joins.add(two.id, bob);
  const [ownGrant, otherGrant] = [grantOf(one.id, 'can_view_organization'), grantOf(two.id)];
  const draft = { name: 'two jobs', mcp_capabilities: [], grants: [ownGrant, otherGrant] };
  const { status } = await askAs(bob, { path: '/api/keys', body: { ...draft, org_scope: one.id } });
  expect(status).toBe(201);

  const detailsIn = ({ owner, id }: typeof one) =>
    detailsOf(owner, `/api/organizations/${id}`, 'key.create');
  const shared = { follows_teams: true, team_ids: null, default_agent_id: null, expires_at: null };
  const all = { ...draft, ...shared, ...defaults, runs_in: one.id };
  expect(await detailsIn(one)).toEqual([['key.create', { after: { ...all, grants: [ownGrant] } }]]);
  expect(await detailsIn(two)).toEqual([
    ['key.create', { after: { grants: [otherGrant], expires_at: null } }],
  ]);
  expect(await detailsOf(bob, '/api/me', 'key.create')).toEqual([['key.create', { after: all }]]);
});

test('the audit log has an upstream’s name and URL before and after, and never the values of its headers', async () => {
  const { id, owner } = await teams.organization();
  const organization = `/api/organizations/${id}`;
  const path = `${organization}/upstreams`;
  const url = 'https://mcp.example.com/';
  const { body } = await askAs<{ id: string }>(owner, {
    path,
    body: { name: 'mine', url, headers: { 'x-token': 'hush' } },
  });
  await patch(owner, `${path}/${body.id}`, { name: 'ours', headers: { 'x-token': 'quiet' } });
  await remove(owner, `${path}/${body.id}`);

  const before = { name: 'mine', url, header_names: ['x-token'] };
  const after = { ...before, name: 'ours' };
  expect(await detailsOf(owner, organization, 'upstream.')).toEqual([
    ['upstream.delete', { before: after }],
    ['upstream.update', { before, after }],
    ['upstream.create', { after: before }],
  ]);
});
