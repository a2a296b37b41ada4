import { describe, expect, test } from 'vitest';
import { faultsOf } from '../content/author.ts';
import { toolId } from '../mcp/key-holder.ts';
import { agent, validPrompt, createPrompts, mcpTool } from './entries.ts';
import {
  createSpaceWorld,
  exportOf,
  fileWith,
  httpTool,
  importInto,
  importPath,
  nothing,
  prompt,
} from './space-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const space = await closeAfterTests(createSpaceWorld());
const [ada, bob] = [await space.newAuthor(), await space.newAuthor()];

const upstream = (fields: object = {}) => ({ name: 'docs', url: space.mcp.url, ...fields });

/** Expects these errors, and that nothing was saved, not even the valid entries. */
async function expectRefusal(file: unknown, faults: unknown[]) {
  const before = await exportOf(ada);

  const answer = await ada.rest(importPath, file);

  expect(faultsOf(answer)).toEqual(faults);
  expect(await exportOf(ada)).toEqual(before);
}

describe('a well-formed file that cannot be saved gets a 422, and nothing is saved', () => {
  test.each<[string, () => object, string[]]>([
    [
      'a duplicate name',
      () => ({ prompts: [validPrompt, prompt('a'), prompt('a')] }),
      ['duplicate_item /prompts/2/name'],
    ],
    [
      'one path in two forms',
      () => ({
        resources: [
          { path: 'é', text: '' },
          { path: 'e\u0301', text: '' },
        ],
      }),
      ['duplicate_item /resources/1/path'],
    ],
    [
      'an undeclared argument',
      () => ({ prompts: [validPrompt, prompt('a', '{{x}}')] }),
      ['unknown_argument /prompts/1/messages/0/content'],
    ],
    [
      'a resource above 1 MB',
      () => ({ resources: [{ path: 'a', text: 'x'.repeat(1_048_577) }] }),
      ['too_large /resources/0/text'],
    ],
    [
      'a private address',
      () => ({ custom_tools: [httpTool('https://10.0.0.1')] }),
      ['address_not_public /custom_tools/0/http/url'],
    ],
    [
      'an upstream at a private address',
      () => ({ prompts: [validPrompt], upstreams: [upstream({ url: 'https://10.0.0.1' })] }),
      ['address_not_public /upstreams/0/url'],
    ],
    [
      'a header that only the gateway may set',
      () => ({ upstreams: [upstream({ headers: { host: 'a' } })] }),
      ['header_not_allowed /upstreams/0/headers/host'],
    ],
    [
      'an unused secret',
      () => ({ custom_tools: [httpTool(space.upstream.origin, { secrets: { OTHER: 'x' } })] }),
      ['unknown_secret /custom_tools/0/secrets/OTHER'],
    ],
    [
      'a tool of an unknown upstream',
      () => ({ custom_tools: [mcpTool()] }),
      ['unknown_item /custom_tools/0/mcp/upstream'],
    ],
    [
      'text with hidden characters',
      () => ({ upstreams: [upstream()], custom_tools: [mcpTool({ description: 'a\u202Eb' })] }),
      ['unsuitable_upstream_tool /custom_tools/0/mcp/tool'],
    ],
    [
      'an input schema with an external reference',
      () => ({
        upstreams: [upstream()],
        custom_tools: [mcpTool({ input_schema: { type: 'object', $ref: 'https://a.example' } })],
      }),
      ['unsuitable_upstream_tool /custom_tools/0/mcp/tool'],
    ],
    [
      'an output schema that no client can apply',
      () => ({
        upstreams: [upstream()],
        custom_tools: [mcpTool({ output_schema: { type: 'object', $id: 'a' } })],
      }),
      ['unsuitable_upstream_tool /custom_tools/0/mcp/tool'],
    ],
    [
      'an unknown built-in tool',
      () => ({ mcp_settings: { tools: ['uuid', 'nobody'] }, prompts: [validPrompt] }),
      ['unknown_item /mcp_settings/tools/1'],
    ],
    [
      'a built-in tool twice',
      () => ({ mcp_settings: { tools: ['uuid', 'uuid'] } }),
      ['duplicate_item /mcp_settings/tools/1'],
    ],
    [
      'a built-in tool named by its id',
      () => ({ mcp_settings: { tools: [toolId('uuid')] } }),
      [`unknown_item /mcp_settings/tools/0`],
    ],
    [
      'more than the plan allows',
      () => ({ prompts: createPrompts(51) }),
      ['limit_reached /prompts'],
    ],
  ])('for %s', async (_name, lists, faults) => {
    await expectRefusal(fileWith(lists()), [422, ...faults]);
  });

  test.each([
    { tool: 'nobody' },
    { tool: 'constructor' },
    { platform_prompt: 'nobody' },
    { custom_tool: 'nobody' },
    { prompt: 'nobody' },
    { prompt: 'constructor' },
    { agent: 'nobody' },
    { resource: 'no/body' },
  ])('for an unknown item in the condition %j', async (when) => {
    await expectRefusal(
      fileWith({ prompts: [validPrompt], agents: [agent(null, 'one'), agent(when)] }),
      [422, 'unknown_item /agents/1/components/0/when'],
    );
  });

  test('all errors are reported at once', async () => {
    await expectRefusal(
      fileWith({
        mcp_settings: { tools: ['nobody'] },
        resources: [{ path: 'a', text: 'x'.repeat(1_048_577) }],
        prompts: [prompt('a', '{{x}} {{y}}')],
        agents: [agent({ prompt: 'nobody' })],
      }),
      [
        422,
        'unknown_item /mcp_settings/tools/0',
        'too_large /resources/0/text',
        'unknown_argument /prompts/0/messages/0/content',
        'unknown_argument /prompts/0/messages/0/content',
        'unknown_item /agents/0/components/0/when',
      ],
    );
  });
});

test('names of built-in items are taken, regardless of on_conflict', async () => {
  const lists = {
    prompts: [prompt('code_review')],
    custom_tools: [httpTool('https://a.example', { name: 'setup' })],
  };

  for (const rule of ['fail', 'skip', 'replace'])
    expect(faultsOf(await ada.rest(`${importPath}?on_conflict=${rule}`, fileWith(lists)))).toEqual([
      409,
      'name_taken /prompts/0/name',
      'name_taken /custom_tools/0/name',
    ]);
});

test('items of another account’s space are not found: names are looked up in the caller’s own space', async () => {
  await bob.rest('/api/me/prompts', prompt('of_bob'));
  await bob.rest('/api/me/upstreams', upstream());

  await expectRefusal(
    fileWith({ agents: [agent({ prompt: 'of_bob' })], custom_tools: [mcpTool()] }),
    [422, 'unknown_item /custom_tools/0/mcp/upstream', 'unknown_item /agents/0/components/0/when'],
  );
});

test('unknown fields are ignored, as are ids and times of another space', async () => {
  const cleo = await space.newAuthor();
  const id = crypto.randomUUID();
  const foreign = {
    id,
    account_id: bob.account_id,
    version: 7,
    created_at: '2020-01-01T00:00:00Z',
  };

  const { status, body } = await importInto(
    cleo,
    fileWith({
      ...foreign,
      version: 1,
      keys: [{}],
      plan: 'enterprise',
      prompts: [{ ...validPrompt, ...foreign }],
    }),
  );

  expect([status, body.created]).toEqual([200, { ...nothing, prompts: 1 }]);
  const [only] = (await cleo.rest('/api/me/prompts')).body.data;
  expect(only!.id).not.toBe(id);
  expect(only).toMatchObject({ name: 'good', version: 1 });
  expect((await bob.rest('/api/me/prompts')).body.data).toHaveLength(1);
});

test('names of Object.prototype properties are ordinary names', async () => {
  const cleo = await space.newAuthor();
  const names = ['constructor', 'hasownproperty'];
  const file = fileWith({
    prompts: names.map((name) => prompt(name)),
    // Item names cannot contain `__`, which separates a prefix from a name; paths can.
    resources: ['__proto__', ...names].map((path) => ({ path, text: path })),
    agents: names.map((name) => agent({ prompt: name }, name)),
  });

  const { body } = await importInto(cleo, file);

  expect(body.created).toEqual({ ...nothing, prompts: 2, resources: 3, agents: 2 });
  const { agents } = await exportOf(cleo);
  expect(agents.map(({ components }) => (components as { when: object }[])[0]!.when)).toEqual(
    names.toSorted().map((name) => ({ prompt: name })),
  );
});
