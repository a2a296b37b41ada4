import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { MemberCredential } from '../../../src/keys/member-credentials/schema.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import {
  askAs,
  createOrganization,
  createRole,
  driftOf,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { toolId } from '../mcp/key-holder.ts';
import { scopedKeys } from './scoped-keys.ts';

const teams = await useTeams();
const support = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));
afterAll(async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});

const { create, call, rest } = scopedKeys(() => teams.otherGateway);
const personal = (...permissions: string[]) => ({ scope: { type: 'personal' }, permissions });
const granted = (org_id: string, ...permissions: string[]) => ({
  ...{ scope: { type: 'org', org_id }, permissions },
});
const VIEWS = ['can_view_organization_api_keys', 'can_view_organization_members'];

const pathOf = (organization: string, { account_id }: Pick<SignedUp, 'account_id'>) =>
  `/api/organizations/${organization}/members/${account_id}/credentials`;
const listed = (who: SignedUp, path: string, query = '') =>
  askAs<{ data: MemberCredential[]; next_cursor: string | null }>(who, { path: `${path}${query}` });
const cut = (who: SignedUp, path: string, id: string, kind = 'api_key') =>
  askAs(who, { method: 'DELETE', path: `${path}/${kind}/${id}` });

/** Creates a member of an organization and of another one, who has a credential of each kind. */
async function createMember() {
  const created = await teams.organization();
  const { id, owner, team, add } = created;
  const role = await createRole(owner, id, {
    ...{ name: 'Agents', permissions: ['can_view_organization'], capabilities: ['tools'] },
  });
  const bob = await teams.join(id, 'bob', [role.id]);
  await add(owner, bob);
  const elsewhere = (await createOrganization(bob, 'Elsewhere')).id;
  const keyOf = async (name: string, fields: Record<string, unknown>) => {
    const { status, body } = await create(bob, { name, ...fields });
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  };
  const running = await keyOf('running', {
    ...{ org_scope: id, mcp_capabilities: ['tools'], team_ids: [team.id] },
  });
  const mixed = await keyOf('mixed', {
    ...{ org_scope: id, mcp_capabilities: ['tools'] },
    grants: [personal('can_view_prompts'), granted(id, 'can_view_organization')],
  });
  const plain = await keyOf('plain', {
    grants: [
      personal('can_view_agents'),
      granted(id, 'can_view_organization'),
      granted(elsewhere, 'can_view_organization_usage'),
    ],
  });
  await keyOf('private', { grants: [personal('can_view_resources')] });
  await keyOf('of the other', { org_scope: elsewhere });
  const client = await support.client({
    ...{ owner: { organization_id: id }, scopes: ['mcp_tools', 'read:organization'] },
    team_ids: [team.id],
  });
  const connection = await support.authorize(client, bob);
  return { ...created, bob, elsewhere, running, mixed, plain, connection, path: pathOf(id, bob) };
}

test('an organization sees a member’s credentials that reach into it, and nothing of what they have elsewhere', async () => {
  const { owner, bob, team, elsewhere, running, mixed, plain, connection, path } =
    await createMember();
  await call(running.secret, 'setup');
  await rest(bob, plain, { path: '/api/me/agents' });
  const used = 'SELECT FROM api_key WHERE account_id = $1 AND last_used_at IS NOT NULL';
  await expect.poll(() => teams.world.query(used, [bob.account_id])).toHaveLength(2);

  const { status, body } = await listed(owner, path);

  const red = { id: team.id, name: 'red' };
  const times = { created_at: expect.any(String), last_used_at: null };
  expect([status, body.data]).toEqual([
    200,
    [
      {
        ...{ kind: 'connection', id: connection, name: 'Client', secret_prefix: null },
        ...{ runs_here: true, follows_memberships: false, teams: [red], expires_at: null },
        ...{ mcp_capabilities: ['tools'], permissions: ['mcp_tools', 'read:organization'] },
        ...times,
      },
      {
        ...{ kind: 'api_key', id: plain.id, name: 'plain', secret_prefix: plain['secret_prefix'] },
        ...{ runs_here: false, follows_memberships: false, teams: [], expires_at: null },
        ...{ mcp_capabilities: [], permissions: ['can_view_organization'] },
        ...times,
      },
      {
        ...{ kind: 'api_key', id: mixed.id, name: 'mixed', secret_prefix: mixed['secret_prefix'] },
        ...{ runs_here: true, follows_memberships: true, teams: [red], expires_at: null },
        ...{ mcp_capabilities: ['tools'], permissions: ['can_view_organization'] },
        ...times,
      },
      {
        ...{ kind: 'api_key', id: running.id, name: 'running' },
        ...{ secret_prefix: running['secret_prefix'], runs_here: true, expires_at: null },
        ...{ follows_memberships: false, teams: [red] },
        ...{ mcp_capabilities: ['tools'], permissions: [] },
        ...{ ...times, last_used_at: expect.any(String) },
      },
    ],
  ]);
  const text = JSON.stringify(body);
  for (const hidden of [elsewhere, 'private', 'of the other', 'prompts', 'agents', 'usage'])
    expect(text).not.toContain(hidden);
});

test('pages of the list have no gaps, across keys and connections', async () => {
  const { owner, path } = await createMember();
  const all = (await listed(owner, path)).body.data.map(({ id }) => id);
  const paged: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await listed(owner, path, `?limit=1${cursor && `&cursor=${cursor}`}`);
    paged.push(...body.data.map(({ id }) => id));
    cursor = body.next_cursor;
  }
  expect([paged.length, paged]).toEqual([4, all]);
});

test('the list needs the permissions to view members and keys, and for connections that to view clients', async () => {
  const { id, owner, bob, running, path } = await createMember();
  const withRole = async (...permissions: string[]) => {
    const role = await createRole(owner, id, { name: randomUUID(), permissions });
    return teams.join(id, 'viewer', [role.id]);
  };
  const [keysOnly, viewer, all] = [
    await withRole(VIEWS[0]!),
    await withRole(...VIEWS),
    await withRole(...VIEWS, 'can_view_organization_oauth_clients'),
  ];

  const denied = await listed(keysOnly, path);
  expect(outcomeOf(denied)).toEqual([403, 'permission_denied']);
  expect(denied.body.errors![0]!.detail).toEqual({ permission: VIEWS[1] });
  expect(outcomeOf(await listed(bob, path))).toEqual([403, 'permission_denied']);
  const kindsFor = async (who: SignedUp) =>
    (await listed(who, path)).body.data.map(({ kind }) => kind);
  expect(await kindsFor(viewer)).toEqual(['api_key', 'api_key', 'api_key']);
  expect(await kindsFor(all)).toEqual(['connection', 'api_key', 'api_key', 'api_key']);
  expect(outcomeOf(await cut(all, path, running.id))).toEqual([403, 'permission_denied']);
});

test('nobody’s credentials are shown or cut from outside the organization, nor after the person has left', async () => {
  const { id, owner, bob, elsewhere, running, plain, path } = await createMember();
  const stranger = await signUp(teams.world, teams.gateway, 'stranger');
  const absent = [404, 'not_found'];
  const mia = await teams.join(id, 'mia');

  for (const request of [listed(stranger, path), cut(stranger, path, running.id)])
    expect(outcomeOf(await request)).toEqual(absent);
  // The member, seen from an organization that neither the Owner nor the key belongs to.
  expect(outcomeOf(await listed(owner, pathOf(elsewhere, bob)))).toEqual(absent);
  expect(outcomeOf(await cut(bob, pathOf(elsewhere, bob), running.id))).toEqual(absent);
  // The key of another member.
  expect(outcomeOf(await cut(owner, pathOf(id, mia), running.id))).toEqual(absent);
  expect(outcomeOf(await cut(owner, path, randomUUID()))).toEqual(absent);
  expect(outcomeOf(await cut(owner, path, running.id, 'connection'))).toEqual(absent);
  const left = { path: `/api/organizations/${id}/members/${bob.account_id}` };
  expect(outcomeOf(await askAs(owner, { method: 'DELETE', ...left }))).toEqual([204]);
  expect(outcomeOf(await listed(owner, path))).toEqual(absent);
  expect(outcomeOf(await cut(owner, path, plain.id))).toEqual(absent);
});

test('a key that runs elsewhere loses its grant for the organization and keeps the rest', async () => {
  const { id, owner, bob, elsewhere, plain, path } = await createMember();
  const organization = { path: `/api/organizations/${id}` };
  expect((await rest(bob, plain, organization)).status).toBe(200);

  expect((await cut(owner, path, plain.id)).status).toBe(204);

  expect(outcomeOf(await rest(bob, plain, organization))).toEqual([404, 'not_found']);
  expect((await rest(bob, plain, { path: '/api/me/agents' })).status).toBe(200);
  const usage = { path: `/api/organizations/${elsewhere}/usage` };
  expect((await rest(bob, plain, usage)).status).toBe(200);
  expect(outcomeOf(await cut(owner, path, plain.id))).toEqual([404, 'not_found']);
});

test('a key that runs in the organization loses everything there, and keeps its grants elsewhere', async () => {
  const { id, owner, bob, mixed, path } = await createMember();
  await askAs(owner, {
    ...{ method: 'PUT', path: `/api/organizations/${id}/mcp-settings` },
    body: {
      ...{ tools: [toolId('calculator')], organization_wide_tools: [toolId('calculator')] },
      ...{ platform_prompts: [], organization_wide_prompts: [] },
    },
  });
  expect(await call(mixed.secret)).toBe(200);

  expect((await cut(owner, path, mixed.id)).status).toBe(204);

  expect(await call(mixed.secret)).toBe('capability_denied');
  expect((await rest(bob, mixed, { path: '/api/me/prompts' })).status).toBe(200);
  expect((await rest(bob, mixed, { path: `/api/organizations/${id}` })).status).toBe(404);
  const { body } = await askAs<Record<string, unknown>>(bob, { path: `/api/keys/${mixed.id}` });
  expect(body).toMatchObject({
    ...{ org_scope: id, follows_memberships: false, teams: [], mcp_capabilities: [] },
    grants: [personal('can_view_prompts')],
  });
});

test('a key that has nothing elsewhere is revoked, and so is a connection', async () => {
  const { id, owner, bob, running, connection, path } = await createMember();
  const token = await support.token(connection);
  const asToken = { ...bob, bearer: { authorization: `Bearer ${token}` } as never };
  const organization = { path: `/api/organizations/${id}` };
  expect((await askAs(asToken, organization)).status).toBe(200);

  expect((await cut(owner, path, running.id)).status).toBe(204);
  expect((await cut(owner, path, connection, 'connection')).status).toBe(204);

  expect(await call(running.secret, 'setup')).toBe(401);
  expect((await askAs(bob, { path: `/api/keys/${running.id}` })).status).toBe(404);
  expect((await askAs(asToken, organization)).status).toBe(401);
});

test('who may revoke the organization’s keys may cut those of anyone, and connections with the permission for them', async () => {
  const { id, owner, path, connection, running } = await createMember();
  const permissions = ['can_revoke_organization_api_keys'];
  const role = await createRole(owner, id, { name: 'Guard', permissions });
  const guard = await teams.join(id, 'guard', [role.id]);
  const { body: ofOwner } = await create(owner, { org_scope: id });

  expect((await cut(guard, pathOf(id, owner), ofOwner.id)).status).toBe(204);
  expect((await cut(guard, path, running.id)).status).toBe(204);
  const refused = await cut(guard, path, connection, 'connection');
  expect(outcomeOf(refused)).toEqual([403, 'permission_denied']);
  expect(refused.body).toMatchObject({
    errors: [{ detail: { permission: 'can_delete_organization_oauth_clients' } }],
  });
});

test('the audit logs of the organization and of the person have it, and that of no other organization', async () => {
  const { id, owner, bob, elsewhere, plain, path } = await createMember();
  await cut(owner, path, plain.id);

  const entries = async (who: SignedUp, log: string) =>
    (
      await askAs<{ data: { actor: { id: string }; target: { id: string }[]; detail: object }[] }>(
        who,
        { path: `${log}?action=key.update` },
      )
    ).body.data.filter(({ target }) => target.some(({ id: key }) => key === plain.id));
  const [entry, ...more] = await entries(owner, `/api/organizations/${id}/audit`);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({
    actor: { id: owner.account_id },
    detail: {
      before: { grants: [granted(id, 'can_view_organization')] },
      after: { grants: [] },
    },
  });
  expect(JSON.stringify(entry)).not.toContain(elsewhere);
  expect(await entries(bob, '/api/me/audit')).toHaveLength(1);
  expect(await entries(bob, `/api/organizations/${elsewhere}/audit`)).toEqual([]);
});
