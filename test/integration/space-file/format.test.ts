import { describe, expect, test } from 'vitest';
import { faultsOf } from '../content/author.ts';
import { toolId } from '../mcp/key-holder.ts';
import { agent, validPrompt, createPrompts, mcpTool } from './entries.ts';
import { createSpaceWorld, exportOf, fileWith, importPath, prompt } from './space-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const space = await closeAfterTests(createSpaceWorld());
const ada = await space.newAuthor();

describe('an invalid file gets a 400', () => {
  test.each<[string, unknown, string]>([
    ['no file', {}, '/format'],
    ['another format', { ...fileWith(), format: 'toolgate-account' }, '/format'],
    ['a later version', { ...fileWith(), version: 2 }, '/version'],
    ['a version of another type', { ...fileWith(), version: '1' }, '/version'],
    ['an object for a list', fileWith({ prompts: { 0: validPrompt } }), '/prompts'],
    ['null for a list', fileWith({ prompts: null }), '/prompts'],
    ['an entry that is not an object', fileWith({ prompts: [validPrompt, 'p'] }), '/prompts/1'],
    [
      'a prompt without messages',
      fileWith({ prompts: [validPrompt, { name: 'p' }] }),
      '/prompts/1/messages',
    ],
    ['a bad name', fileWith({ prompts: [validPrompt, prompt('Not A Name')] }), '/prompts/1/name'],
    ['a path with ..', fileWith({ resources: [{ path: '../a', text: '' }] }), '/resources/0/path'],
    [
      'text and bytes',
      fileWith({ resources: [{ path: 'a', text: '', blob: '' }] }),
      '/resources/0/text',
    ],
    [
      'an unknown kind',
      fileWith({ custom_tools: [{ ...mcpTool(), kind: 'x' }] }),
      '/custom_tools/0/kind',
    ],
    [
      'a tool that names its upstream by id',
      fileWith({ custom_tools: [mcpTool({ mcp: { upstream_id: 'a' } })] }),
      '/custom_tools/0/mcp/upstream',
    ],
    [
      '`__` in a tool’s name',
      fileWith({ custom_tools: [mcpTool({ name: '__proto__' })] }),
      '/custom_tools/0/name',
    ],
    [
      'two conditions at once',
      fileWith({ agents: [agent({ prompt: 'a', tool: 'b' })] }),
      '/agents/0/components/0/when',
    ],
    [
      'a condition that names an item by id',
      fileWith({ agents: [agent({ prompt: toolId('uuid').toUpperCase() })] }),
      '/agents/0/components/0/when/prompt',
    ],
    [
      'an invalid header name',
      fileWith({ upstreams: [{ name: 'docs', url: 'https://a.example', header_names: ['a b'] }] }),
      '/upstreams/0/header_names/0',
    ],
  ])('for %s', async (_name, file, pointer) => {
    const answer = await ada.rest(importPath, file);

    expect(faultsOf(answer)).toContain(`invalid_body ${pointer}`);
    expect(answer.status).toBe(400);
    expect(await exportOf(ada)).toMatchObject({ prompts: [], resources: [], custom_tools: [] });
  });

  test('more than five thousand entries are refused, and at most twenty errors are reported', async () => {
    expect(
      faultsOf(await ada.rest(importPath, fileWith({ prompts: createPrompts(5_001) }))),
    ).toEqual([400, 'invalid_body /prompts']);
    const bad = Array.from({ length: 5_000 }, () => 7);
    const answer = await ada.rest(importPath, fileWith({ prompts: bad, agents: bad }));
    expect([answer.status, answer.body.errors.length]).toEqual([400, 20]);
  });

  test.each([
    ['a key that reaches a prototype', '"__proto__":{"x":1}', 'invalid_body'],
    ['a duplicate key', '"prompts":[],"prompts":[]', 'invalid_body'],
    ['NUL', '"x":"\\u0000"', 'invalid_body'],
    ['invalid JSON', '"prompts":[', 'invalid_json'],
    ['more than 64 levels', `"x":${'['.repeat(64)}${']'.repeat(64)}`, 'invalid_body'],
  ])('%s in the body is refused', async (_name, members, code) => {
    const response = await fetch(`${space.gateway.url}${importPath}`, {
      method: 'POST',
      headers: { ...ada.bearer, 'content-type': 'application/json' },
      body: `{"format":"toolgate-space","version":1,${members}}`,
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ code }] });
  });

  test.each(['overwrite', '', 'Skip'])('on_conflict=%s is refused', async (rule) => {
    const answer = await ada.rest(`${importPath}?on_conflict=${rule}`, fileWith());

    expect(faultsOf(answer)).toEqual([400, 'invalid_query /on_conflict']);
  });
});

test('a file larger than 2 MB gets a 413', async () => {
  const text = 'x'.repeat(1_000_000);
  const resources = ['a', 'b', 'c'].map((path) => ({ path, text }));

  expect((await ada.rest(importPath, fileWith({ resources }))).status).toBe(413);
});

test('a file of another content type gets a 415', async () => {
  const headers = { 'content-type': 'text/plain' };

  expect((await ada.rest(importPath, fileWith(), 'POST', headers)).status).toBe(415);
});

test.each(['prompts', '/a', 'keys/a', 'prompts/\u0000', `prompts/${'x'.repeat(2_000)}`])(
  'an export with the cursor %j is refused',
  async (cursor) => {
    const answer = await ada.rest(`/api/me/export?cursor=${encodeURIComponent(cursor)}`);

    expect(faultsOf(answer)).toEqual([400, 'invalid_query /cursor']);
  },
);
