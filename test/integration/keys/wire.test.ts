import { expect, test } from 'vitest';
import { createOrganization } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import type { Answer } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const world = await closeAfterTests(createWorld());
const ada = await signUp(world, await world.gateway());

interface Key {
  id: string;
  name: string;
  secret: string;
  last_used_at: string | null;
}
interface Errors {
  errors: { code: string; message: string; detail: { pointer: string } | null }[];
}
interface Tools {
  data: { id: string; name: string; selected?: boolean }[];
  next_cursor: string | null;
}
type Fields = Record<string, unknown>;

const unknownId = '0190aaaa-0000-7000-8000-00000000dead';
const ask = <Body = Errors>(path: string, body?: unknown, method?: string) =>
  ada.person.ask<Body>({
    path,
    headers: ada.bearer,
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  });
const post = <Body = Errors>(fields: Fields) =>
  ask<Body>('/api/keys', { name: crypto.randomUUID(), mcp_capabilities: [], ...fields });
const withKey = <Body = Errors>(secret: string, path: string, body?: unknown, method?: string) =>
  ada.person.ask<Body>({
    path,
    headers: { 'x-api-key': secret },
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  });
const grants = (...permissions: string[]) => [{ scope: { type: 'personal' }, permissions }];
const faults = ({ status, body }: Answer<Errors>) => [
  status,
  ...body.errors.map(({ code, detail }) => `${code} ${detail?.pointer}`),
];

test('a key is created, listed, read, changed and revoked, and its secret is shown only once (K, rel:P15)', async () => {
  const { status, body, headers } = await post<Key>({ name: 'bot' });
  const { secret, ...record } = body;

  expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
  expect((await ask<Tools>('/api/keys?limit=1')).body.data).toEqual([record]);
  expect((await ask<Key>(`/api/keys/${record.id.toUpperCase()}`)).body).toEqual(record);
  const changed = await ask<Key>(`/api/keys/${record.id}`, { name: 'robot' }, 'PATCH');
  expect([changed.status, changed.body]).toEqual([200, { ...record, name: 'robot' }]);
  const revoked = await ask(`/api/keys/${record.id}`, undefined, 'DELETE');
  expect([revoked.status, revoked.body]).toEqual([204, undefined]);
  for (const method of ['GET', 'DELETE'])
    expect((await ask(`/api/keys/${record.id}`, undefined, method)).status).toBe(404);
  expect(JSON.stringify(await world.query('SELECT * FROM audit_event'))).not.toContain(secret);
});

test.each([
  ['name missing', { name: undefined }, '/name'],
  ['name blank', { name: ' ' }, '/name'],
  ['capabilities missing', { mcp_capabilities: undefined }, '/mcp_capabilities'],
  ['capabilities twice', { mcp_capabilities: ['tools', 'tools'] }, '/mcp_capabilities'],
  ['grants null', { grants: null }, '/grants'],
  ['grant of a team', { grants: [{ scope: { type: 'team' } }] }, '/grants/0/scope/type'],
  ['org without id', { grants: [{ scope: { type: 'org' } }] }, '/grants/0/scope/org_id'],
  ['policy null', { tool_policy: null }, '/tool_policy'],
  ['`all` with a list', { tool_policy: { mode: 'all', tools: [] } }, '/tool_policy/tools'],
  ['no mode with a list', { agent_policy: { agents: [unknownId] } }, '/agent_policy/agents'],
  ['an MCP name', { tool_policy: { mode: 'whitelist', tools: ['add'] } }, '/tool_policy/tools/0'],
  [
    'a brace',
    { resource_policy: { mode: 'whitelist', patterns: ['{a}'] } },
    '/resource_policy/patterns/0',
  ],
  ['a bare date', { expires_at: '2100-01-01' }, '/expires_at'],
  ['an invalid date', { expires_at: 'soon' }, '/expires_at'],
])('%s: 400 with a pointer (P1…P3, rel:K1…K4)', async (_case, fields, pointer) => {
  expect(faults(await post(fields))).toEqual([400, `invalid_body ${pointer}`]);
});

test('1,001 entries are reported as one problem; of 1,000 unknown ones, the first twenty are reported (rel:K15)', async () => {
  const ids = Array.from({ length: 1_001 }, () => crypto.randomUUID());

  const tooMany = await post({ tool_policy: { mode: 'whitelist', tools: ids } });
  const most = await post({ tool_policy: { mode: 'whitelist', tools: ids.slice(1) } });

  expect(faults(tooMany)).toEqual([400, 'invalid_body /tool_policy/tools']);
  expect([most.status, most.body.errors.length]).toEqual([422, 20]);
});

test('a taken name gets a 409; another account’s organization gets the same 422 as an unknown one (rel:K2, rel:K6)', async () => {
  const { body } = await post<Key>({});

  expect(faults(await post({ name: body.name }))).toEqual([409, 'name_taken /name']);
  const stranger = await signUp(world, await world.gateway());
  const foreign = await post({ org_scope: (await createOrganization(stranger)).id });
  const unknown = await post({ org_scope: unknownId });
  expect(faults(unknown)).toEqual([422, 'not_a_member /org_scope']);
  expect(foreign.body).toEqual(unknown.body);
});

test('an expired key is listed and keeps its name until it is revoked or extended', async () => {
  const name = 'expiring';
  const { body: key } = await post<Key>({ name, grants: grants('can_view_tools') });
  await world.query(`UPDATE api_key SET expires_at = now() - interval '1 day' WHERE id = $1`, [
    key.id,
  ]);
  const listed = async () => {
    const { data } = (await ask<{ data: Record<string, unknown>[] }>('/api/keys?limit=200')).body;
    return data.find(({ id }) => id === key.id)?.['status'];
  };
  const path = `/api/keys/${key.id}`;

  expect(await listed()).toBe('expired');
  expect(faults(await post({ name }))).toEqual([409, 'name_taken /name']);
  const extended = await ask(path, { expires_at: '2100-01-01T00:00:00Z' }, 'PATCH');
  expect([extended.status, await listed()]).toEqual([200, 'active']);
  expect((await withKey(key.secret, '/api/me/tools/scopable')).status).toBe(200);
  await world.query('UPDATE api_key SET expires_at = now() WHERE id = $1', [key.id]);
  await ask(path, undefined, 'DELETE');

  expect(await listed()).toBeUndefined();
  expect((await post({ name })).status).toBe(201);
});

test('forty concurrent requests create only one key with the same name (rel:K2)', async () => {
  const name = crypto.randomUUID();
  // On a small machine the pool may not serve forty requests within a second: retry on 503.
  const postUntilServed = async (): Promise<number> => {
    const { status } = await post({ name });
    return status === 503 ? postUntilServed() : status;
  };

  const statuses = await Promise.all(Array.from({ length: 40 }, postUntilServed));

  expect(statuses.toSorted((a, b) => a - b)).toEqual([201, ...Array<number>(39).fill(409)]);
});

test('keys cannot manage keys: any X-API-Key gets a 403 without a lookup (rel:B1-12)', async () => {
  const { body: key } = await post<Key>({ grants: grants('can_view_tools') });

  for (const secret of [key.secret, 'sk_nobody'])
    for (const [path, method] of [
      ['/api/keys', 'GET'],
      [`/api/keys/${key.id}`, 'GET'],
      [`/api/keys/${key.id}`, 'DELETE'],
    ] as const)
      expect((await withKey(secret, path, undefined, method)).status).toBe(403);
  expect((await withKey('sk_nobody', '/api/keys', {})).status).toBe(403);
  expect((await ask<Key>(`/api/keys/${key.id}`)).body.last_used_at).toBeNull();
});

test('unknown, malformed, revoked and expired keys get the same response body (rel:B1-2, rel:B1-3)', async () => {
  const path = '/api/me/tools/scopable';
  const { body: revoked } = await post<Key>({ grants: grants('can_view_tools') });
  const { body: expired } = await post<Key>({ grants: grants('can_view_tools') });
  expect((await withKey(revoked.secret, path)).status).toBe(200);
  await ask(`/api/keys/${revoked.id}`, undefined, 'DELETE');
  await world.query('UPDATE api_key SET expires_at = now() WHERE id = $1', [expired.id]);

  const secrets = [
    revoked.secret,
    expired.secret,
    `sk_${crypto.randomUUID()}`,
    'sk_',
    expired.secret.toUpperCase(),
    'x'.repeat(7_168),
  ];
  const answers = await Promise.all(secrets.map((secret) => withKey(secret, path)));

  expect(answers.map(({ status }) => status)).toEqual(secrets.map(() => 401));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
});

test('a personal endpoint returns 401 without a personal grant, 403 without the permission (G6, rel:B1-14)', async () => {
  const path = '/api/me/tools/scopable';
  const keyOf = async (fields: Fields) => (await post<Key>(fields)).body.secret;

  expect((await withKey(await keyOf({}), path)).status).toBe(401);
  const denied = await withKey(await keyOf({ grants: grants('can_view_prompts') }), path);
  expect([denied.status, denied.body.errors[0]!.detail]).toEqual([
    403,
    { permission: 'can_view_tools' },
  ]);
  const implied = await withKey<Tools>(await keyOf({ grants: grants('can_delete_tools') }), path);
  expect(implied.status).toBe(200);
});

const noItems = { tools: [], platform_prompts: [] };

test('sessions and keys with any personal grant can read the catalog; no key can change settings', async () => {
  const { body: bare } = await post<Key>({});
  const { body: granted } = await post<Key>({ grants: grants() });

  expect((await ask<Tools>('/api/catalog/tools')).status).toBe(200);
  expect((await withKey(granted.secret, '/api/catalog/tools')).status).toBe(200);
  expect((await withKey(bare.secret, '/api/catalog/tools')).status).toBe(401);
  const settings = await withKey(granted.secret, '/api/me/mcp-settings', noItems, 'PUT');
  expect(settings.status).toBe(403);
});

test('a selection is saved, read back and shown as selected (S8)', async () => {
  const { body: all } = await ask<Tools>('/api/catalog/tools');
  const [first] = all.data;

  const settings = { tools: [first!.id], platform_prompts: [] };

  const put = await ask<object>('/api/me/mcp-settings', settings, 'PUT');

  expect([put.status, put.body]).toEqual([200, settings]);
  expect((await ask<object>('/api/me/mcp-settings')).body).toEqual(settings);
  const { body: scopable } = await ask<Tools>('/api/me/tools/scopable');
  expect(scopable.data.filter(({ selected }) => selected)).toHaveLength(1);
  expect(scopable.data.map(({ id }) => id)).toEqual(all.data.map(({ id }) => id));
  const faulty = { tools: [first!.id, first!.id, unknownId], platform_prompts: [] };
  expect(faults(await ask('/api/me/mcp-settings', faulty, 'PUT'))).toEqual([
    422,
    'duplicate_item /tools/1',
    'unknown_item /tools/2',
  ]);
});

test('a list can be paged through to its end, and an invalid cursor or limit gets a 400', async () => {
  const { body: all } = await ask<Tools>('/api/catalog/tools');
  const names: string[] = [];

  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page: Answer<Tools> = await ask<Tools>(`/api/catalog/tools?limit=7${query}`);
    names.push(...page.body.data.map(({ name }) => name));
    cursor = page.body.next_cursor;
  }

  expect(names).toEqual(all.data.map(({ name }) => name));
  for (const query of [`cursor=${unknownId}`, 'cursor=x', 'limit=0', 'limit=201', 'limit=x'])
    expect((await ask(`/api/catalog/tools?${query}`)).status).toBe(400);
});

test('a path with a malformed or unknown id gets a 404', async () => {
  for (const id of ['x', '{}', unknownId, ada.account_id])
    expect((await ask(`/api/keys/${encodeURIComponent(id)}`)).status).toBe(404);
});

test('the last use of a key is recorded (K)', async () => {
  const { body: key } = await post<Key>({ grants: grants('can_view_tools') });

  await withKey(key.secret, '/api/me/tools/scopable');

  await expect
    .poll(async () => (await ask<Key>(`/api/keys/${key.id}`)).body.last_used_at)
    .not.toBeNull();
});

test('a policy is stored and returned unchanged in each of its modes', async () => {
  const { body: all } = await ask<Tools>('/api/catalog/tools');
  const tools = all.data.slice(0, 2).map(({ id }) => id);

  for (const tool_policy of [
    { mode: 'all' },
    { mode: 'whitelist', tools },
    { mode: 'blacklist', tools },
  ])
    expect((await post<Fields>({ tool_policy })).body['tool_policy']).toEqual(tool_policy);
  expect((await post<Fields>({ tool_policy: {} })).body['tool_policy']).toEqual({ mode: 'all' });
});
