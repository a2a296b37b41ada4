import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Explanation } from '../../../src/keys/schema.ts';
import { createAuthor, faultsOf, useAuthors } from '../content/author.ts';
import type { Author } from '../content/author.ts';
import { ask, toolId } from '../mcp/key-holder.ts';
import { unknownId } from './managing.ts';

const { world, ada, bob } = await useAuthors();
await ada.select(['calculator', 'hash', 'create_prompt']);

const FULL = ['tools', 'prompts', 'resources', 'agents'];
const keyWith = (fields: object = {}) => ada.createKey({ mcp_capabilities: FULL, ...fields });
const requestExplanation = (author: Author, id: string, query: string) =>
  author.rest(`/api/keys/${id}/explain?${query}`);
async function explain(id: string, query: string): Promise<Explanation> {
  const { status, body } = await requestExplanation(ada, id, query);
  expect(status).toBe(200);
  return body as unknown as Explanation;
}
const denialsOf = ({ steps }: Explanation) =>
  steps.filter(({ outcome }) => outcome === 'deny').map(({ layer, rule }) => `${layer} ${rule}`);
const evidenceOf = ({ steps }: Explanation, rule: string) =>
  steps.find((step) => step.rule === rule)?.evidence;

test('an allowed item is allowed by every layer, in the order in which they decide', async () => {
  const { id } = await keyWith();
  const tuple = (relation: string) => ({
    ...{ user: `api_key:${id}`, relation },
    object: expect.stringMatching(/^account:/) as string,
  });

  const answer = await explain(id, 'tool=calculator');

  expect(answer.outcome).toBe('allow');
  expect(answer.steps.map(({ layer, rule }) => `${layer} ${rule}`)).toEqual([
    'credential usable',
    'relation can_connect',
    'relation can_use_tools',
    'selection selected',
    'policy tool_policy',
    ...['minute', 'hour', 'day', 'month'].map((window) => `limit tool_calls_per_${window}`),
  ]);
  expect(evidenceOf(answer, 'can_use_tools')).toEqual({
    path: [tuple('principal'), tuple('runs_here'), tuple('declared_tools')],
  });
  expect(evidenceOf(answer, 'tool_calls_per_minute')).toMatchObject({ limit: 60, used: 0 });
  expect(await explain(id, `tool=${toolId('calculator')}`)).toEqual(answer);
});

test('each denial is returned with its evidence', async () => {
  const key = await keyWith({
    mcp_capabilities: ['resources'],
    tool_policy: { mode: 'blacklist', tools: [toolId('hash')] },
    resource_policy: { mode: 'whitelist', patterns: ['a/*', 'docs/**'] },
  });
  const missing = { user: `api_key:${key.id}`, relation: 'declared_tools' };
  for (const path of ['docs/a/b', 'other'])
    await ada.rest('/api/me/resources', { path, mime_type: 'text/plain', text: 'Hello.' });

  const tool = await explain(key.id, 'tool=hash');
  const inside = await explain(key.id, 'resource=docs/a/b');
  const outside = await explain(key.id, 'resource=other');

  expect([tool.outcome, outside.outcome]).toEqual(['deny', 'deny']);
  expect(denialsOf(tool)).toEqual(['relation can_use_tools', 'policy tool_policy']);
  expect(evidenceOf(tool, 'can_use_tools')).toMatchObject({ missing: [missing] });
  expect(evidenceOf(tool, 'tool_policy')).toEqual({
    ...{ mode: 'blacklist', list: 'tools' },
    entry: toolId('hash'),
  });
  expect(denialsOf(await explain(key.id, 'tool=uuid'))).toContain('selection selected');
  expect(inside.outcome).toBe('allow');
  expect(evidenceOf(inside, 'resource_policy')).toMatchObject({ entry: 'docs/**' });
  expect(denialsOf(outside)).toEqual(['policy resource_policy']);
  expect(evidenceOf(outside, 'resource_policy')).toMatchObject({ entry: null });
  expect(denialsOf(await explain(key.id, 'prompt=nothing'))).toEqual(['item exists']);
});

test('a missing permission can be the only reason why a management tool is denied', async () => {
  const [lackingKey, holdingKey] = await Promise.all(
    [['can_view_prompts'], ['can_create_prompts', 'can_create_agents']].map((permissions) =>
      keyWith({ grants: [{ scope: { type: 'personal' }, permissions }] }),
    ),
  );

  const answer = await explain(lackingKey!.id, 'tool=create_prompt');

  expect(answer.outcome).toBe('deny');
  expect(denialsOf(answer)).toEqual(['relation can_prompts_create']);
  expect(evidenceOf(answer, 'can_prompts_create')).toEqual({
    missing: [
      {
        ...{ user: `api_key:${lackingKey!.id}`, relation: 'carried_prompts_create' },
        object: expect.stringMatching(/^account:/) as string,
      },
    ],
  });
  expect((await explain(holdingKey!.id, 'tool=create_prompt')).outcome).toBe('allow');
  expect(denialsOf(await explain(holdingKey!.id, 'tool=create_agent'))).toEqual([
    'selection selected',
  ]);
  const body = { name: 'draft', mcp_capabilities: FULL, grants: [] };
  const { hidden } = (await ada.rest('/api/keys/preview', body)).body;
  expect(hidden).toContainEqual(
    expect.objectContaining({ name: 'create_prompt', because: ['permission_missing'] }),
  );
});

test('explain shows the usage that calls are counted against, and is not counted itself', async () => {
  const { id, secret } = await keyWith();
  const readUse = async () => evidenceOf(await explain(id, 'tool=hash'), 'tool_calls_per_month');
  const before = (await readUse())!['used'] as number;

  const call = { name: 'hash', arguments: { text: 'a', algorithm: 'sha256' } };
  const { body } = await ask(ada.endpoint, { 'x-api-key': secret }, 'tools/call', call);

  expect(body.error).toBeUndefined();
  expect(await readUse()).toMatchObject({ used: before + 1 });
  expect(await readUse()).toMatchObject({ used: before + 1 });
});

test('system tools need only the credential (C1)', async () => {
  const { id } = await keyWith({ mcp_capabilities: [] });

  const { outcome, steps } = await explain(id, 'tool=setup');

  expect(outcome).toBe('allow');
  expect(new Set(steps.map(({ layer }) => layer))).toEqual(
    new Set(['credential', 'relation', 'limit']),
  );
});

test('the first denial of an expired key is its expiry; a revoked key is not found', async () => {
  const { id } = await keyWith();
  await world.query(`UPDATE api_key SET expires_at = now() - interval '1 hour' WHERE id = '${id}'`);

  expect(denialsOf(await explain(id, 'tool=hash'))).toEqual(['credential usable']);
  await ada.revoke(id);
  expect((await requestExplanation(ada, id, 'tool=hash')).status).toBe(404);
});

test('only the owner may request an explanation, in a session and for exactly one item', async () => {
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_view_tools'] }];
  const { id, secret } = await keyWith({ grants });
  const [foreign, unknown] = [
    await requestExplanation(bob, id, 'tool=hash'),
    await requestExplanation(bob, unknownId, 'tool=hash'),
  ];

  expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
  expect((await ada.restWith(secret)(`/api/keys/${id}/explain?tool=hash`)).status).toBe(403);
  for (const query of ['', 'tool=', 'tool=hash&prompt=plan', `resource=${'a'.repeat(4_097)}`])
    expect((await requestExplanation(ada, id, query)).status, query).toBe(400);
  expect(faultsOf(await requestExplanation(ada, randomUUID(), 'tool=hash'))[0]).toBe(404);
});

test('an item is found by id in either case, by name in any Unicode normalization form, and by URI', async () => {
  const { id } = await keyWith();
  const { body } = await ada.rest('/api/me/resources', { path: 'menu/caf\u00e9', text: 'Tea.' });
  const answer = await explain(id, `resource=${encodeURIComponent('menu/caf\u00e9')}`);

  expect(answer.outcome).toBe('allow');
  for (const name of [body.id.toUpperCase(), 'menu/cafe\u0301', 'toolgate://me/menu/caf%C3%A9'])
    expect(await explain(id, `resource=${encodeURIComponent(name)}`)).toEqual(answer);
});

test('explain is rate limited per account, with a Retry-After', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plans-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const PLANS_FILE = join(folder, 'plans.json');
  writeFileSync(PLANS_FILE, JSON.stringify({ addresses: { explain: { minute: 2 } } }));
  const strictGateway = await world.gateway({ env: { PLANS_FILE } });
  const [busyAuthor, quietAuthor] = await Promise.all([
    createAuthor(world, strictGateway),
    createAuthor(world, strictGateway),
  ]);
  const [firstKey, secondKey, quietKey] = await Promise.all([
    busyAuthor.createKey({ mcp_capabilities: FULL }),
    busyAuthor.createKey({ mcp_capabilities: FULL }),
    quietAuthor.createKey({ mcp_capabilities: FULL }),
  ]);

  const answers = [
    await requestExplanation(busyAuthor, firstKey.id, 'tool=hash'),
    await requestExplanation(busyAuthor, secondKey.id, 'tool=hash'),
    await requestExplanation(busyAuthor, firstKey.id, 'tool=hash'),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  const refused = answers[2]!;
  expect(refused.body.errors[0]?.code).toBe('rate_limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await requestExplanation(quietAuthor, quietKey.id, 'tool=hash')).status).toBe(200);
});
