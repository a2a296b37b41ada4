import { expect, test } from 'vitest';
import type { KeyPreview } from '../../../src/keys/schema.ts';
import { useAuthors } from '../content/author.ts';
import { toolId } from '../mcp/key-holder.ts';
import { unknownId } from './managing.ts';

const { gateway, ada, bob } = await useAuthors();
await ada.select(['calculator', 'hash']);

const FULL = ['tools', 'prompts', 'resources', 'agents'];
const createKey = (fields: object) => ada.createKey({ mcp_capabilities: FULL, ...fields });
async function preview(id: string, query = ''): Promise<KeyPreview> {
  const { status, body } = await ada.rest(`/api/keys/${id}/preview${query}`);
  expect(status).toBe(200);
  return body as unknown as KeyPreview;
}
const draftPreview = async (fields: object) =>
  (await ada.rest('/api/keys/preview', { name: 'draft', mcp_capabilities: FULL, ...fields }))
    .body as unknown as KeyPreview;
const codesOf = ({ warnings }: KeyPreview) => warnings.map(({ code }) => code);

test('the preview of a key equals the preview of a draft with its fields, except for where to change it', async () => {
  const policy = { tool_policy: { mode: 'whitelist', tools: [toolId('hash')] } };
  const { id } = await createKey(policy);

  const stored = await preview(id);
  const draft = await draftPreview(policy);

  const withoutUrls = ({ hidden, ...rest }: KeyPreview) => ({
    ...rest,
    hidden: hidden.map(({ fix_url: _url, ...one }) => one),
  });
  expect(withoutUrls(stored)).toEqual(withoutUrls(draft));
  const url = gateway.url.replace('127.0.0.1', 'localhost');
  const urlOf = (answer: KeyPreview, name: string) =>
    answer.hidden.find((one) => one.name === name)?.fix_url;
  expect(urlOf(stored, 'uuid')).toBe(`${url}/app/mcp`);
  expect(urlOf(stored, 'calculator')).toBe(`${url}/app/keys/${id}`);
  expect(urlOf(draft, 'calculator')).toBeNull();
});

test('only the owner of a key previews it, in a session', async () => {
  const { id, secret } = await createKey({
    grants: [{ scope: { type: 'personal' }, permissions: ['can_view_tools'] }],
  });
  const path = `/api/keys/${id}/preview`;

  expect((await bob.rest(path)).status).toBe(404);
  expect((await ada.rest(`/api/keys/${unknownId}/preview`)).status).toBe(404);
  expect((await ada.restWith(secret)(path)).status).toBe(403);
});

test('the pages of a family contain each known item once, in the order of the lists', async () => {
  const { id } = await createKey({});
  const whole = await preview(id);

  const found: KeyPreview[] = [await preview(id, '?family=tool&limit=7')];
  for (let next = found[0]!.next_cursor; next !== null; next = found.at(-1)!.next_cursor)
    found.push(await preview(id, `?family=tool&limit=7&cursor=${next}`));

  expect(found.length).toBeGreaterThan(2);
  expect(found.flatMap((page) => page.visible.tools)).toEqual(whole.visible.tools);
  expect(found.flatMap((page) => page.hidden)).toEqual(
    whole.hidden.filter(({ family }) => family === 'tool'),
  );
  expect(found.flatMap((page) => page.visible.prompts)).toEqual([]);
  expect(found.map(({ counts }) => counts)).toEqual(found.map(() => whole.counts));
});

test('a cursor without its family, or of another family, gets a 400', async () => {
  const { id } = await createKey({});
  const { next_cursor } = await preview(id, '?family=tool&limit=1');
  const ask = (query: string) => ada.rest(`/api/keys/${id}/preview?${query}`);
  const outcomes = await Promise.all([
    ask(`cursor=${next_cursor}`),
    ask(`family=prompt&cursor=${next_cursor}`),
    ask(`family=prompt&cursor=${unknownId}`),
    ask('limit=5'),
  ]);

  expect(outcomes.map(({ status, body }) => [status, body.errors[0]!.code])).toEqual([
    [400, 'invalid_cursor'],
    [400, 'invalid_cursor'],
    [400, 'invalid_cursor'],
    [400, 'invalid_query'],
  ]);
});

test('the estimated tokens grow with the listed tools, and are none for a key that may not connect', async () => {
  const narrow = await draftPreview({ mcp_capabilities: [] });
  const wide = await draftPreview({});
  const nowhere = await draftPreview({ org_scope: unknownId });

  expect(narrow.list_tokens).toBeGreaterThan(100);
  expect(wide.list_tokens).toBeGreaterThan(narrow.list_tokens);
  expect(nowhere.list_tokens).toBe(0);
});

test('warnings name a policy that matches nothing, grants that work only over REST, and many tools', async () => {
  const write = { scope: { type: 'personal' }, permissions: ['can_create_prompts'] };
  const faulty = {
    mcp_capabilities: ['prompts'],
    grants: [write],
    resource_policy: { mode: 'blacklist', patterns: ['nothing/**'] },
  };
  const { id } = await createKey(faulty);

  expect(codesOf(await draftPreview(faulty))).toEqual([
    'write_without_tools',
    'policy_matches_nothing',
  ]);
  expect(codesOf(await preview(id))).toEqual(['write_without_tools', 'policy_matches_nothing']);
  expect(codesOf(await draftPreview({ grants: [write] }))).toEqual([]);
  expect(codesOf(await draftPreview({ mcp_capabilities: [], grants: [write] }))).toEqual([]);

  await ada.select(await allToolNames());
  const grants = [{ ...write, permissions: changes }];
  expect(codesOf(await draftPreview({ grants }))).toEqual(['many_tools']);
});

test('a warning names what a whitelist lists and the MCP settings do not select; a blacklist may list it', async () => {
  await ada.select(['calculator', 'hash']);
  const tools = [toolId('hash'), toolId('uuid')];
  const policy = { tool_policy: { mode: 'whitelist', tools } };
  const { id } = await createKey(policy);

  for (const { warnings } of [await draftPreview(policy), await preview(id)])
    expect(warnings).toEqual([
      {
        code: 'not_selected',
        message: expect.stringContaining('`uuid`'),
        detail: { pointer: '/tool_policy/tools' },
      },
    ]);
  const blacklist = { tool_policy: { mode: 'blacklist', tools } };
  expect(codesOf(await draftPreview(blacklist))).toEqual([]);
  await ada.select(['calculator', 'hash', 'uuid']);
  expect(codesOf(await preview(id))).toEqual([]);
});

const changes = ['create', 'update', 'delete'].flatMap((verb) =>
  ['resources', 'tools', 'prompts', 'agents'].map((noun) => `can_${verb}_${noun}`),
);

/** Returns the names of all built-in tools. */
async function allToolNames(): Promise<string[]> {
  const { body } = await ada.rest('/api/catalog/tools?limit=200');
  return body.data.map(({ name }) => name as string);
}

test('a default agent that was deleted is a warning, not an error', async () => {
  const agent = {
    name: 'reviewer',
    description: 'Reviews.',
    instructions: 'Review.',
    components: [],
  };
  const { body } = await ada.rest('/api/me/agents', agent);
  const { id } = await createKey({ default_agent_id: body.id });
  expect(codesOf(await preview(id))).not.toContain('agent_unavailable');

  await ada.rest(`/api/me/agents/${body.id}`, undefined, 'DELETE');

  const seen = await preview(id);
  expect(codesOf(seen)).toContain('agent_unavailable');
  expect(seen.errors).toEqual([]);
});
