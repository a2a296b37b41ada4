import { expect, test } from 'vitest';
import { createPerson } from '../../support/people/people.ts';
import { ask } from '../mcp/key-holder.ts';
import {
  createSpaceWorld,
  exportOf,
  exportPath,
  fillSpace,
  importInto,
  importPath,
  nothing,
  SECRETS,
  seenBy,
} from './space-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const space = await closeAfterTests(createSpaceWorld());
const ada = await space.newAuthor();
const ids = await fillSpace(space, ada);
const file = await exportOf(ada);

test('a space is exported as one file of names and contents, without ids, times or secrets', async () => {
  const { status, headers } = await ada.rest(exportPath);

  expect([status, headers.get('content-disposition')]).toEqual([
    200,
    'attachment; filename="toolgate-space.json"',
  ]);
  expect(Object.keys(file)).toEqual([
    'format',
    'version',
    'mcp_settings',
    'upstreams',
    'resources',
    'prompts',
    'custom_tools',
    'agents',
    'next_cursor',
  ]);
  expect(file).toMatchObject({
    mcp_settings: { tools: ['calculator', 'uuid'], platform_prompts: [] },
    upstreams: [{ name: 'docs', url: space.mcp.url, header_names: ['authorization', 'x-team'] }],
    resources: [{ path: 'notes/a.md' }, { path: 'notes/é.bin', blob: 'AAECAw==' }],
    prompts: [{ name: 'greet' }],
    custom_tools: [
      {
        name: 'counts',
        mcp: { upstream: 'docs' },
        description: 'Reports its progress.',
        held: true,
      },
      { name: 'echoes', mcp: { upstream: 'docs', tool: 'echo' }, held: false },
      { name: 'weather', annotations: { readOnlyHint: true } },
    ],
    agents: [{ name: 'main' }, { name: 'other' }],
  });
  const conditions = (file.agents[0]!['components'] as { when: object | null }[]).map(
    ({ when }) => when,
  );
  expect(conditions).toEqual([
    null,
    { capability: 'tools' },
    { tool: 'calculator' },
    { custom_tool: 'weather' },
    { custom_tool: 'echoes' },
    { prompt: 'greet' },
    { gone: { prompt: expect.any(String) } },
    { agent: 'other' },
    { resource: 'notes/a.md' },
  ]);
  const text = JSON.stringify(file);
  for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
  for (const id of [...Object.values(ids), ada.account_id]) expect(text).not.toContain(id);
  expect(text).not.toMatch(/_at"|sealed|\d{4}-\d\d-\d\dT/);
});

test('two exports of one space are byte-identical', async () => {
  const bytes = async () => {
    const answer = await fetch(`${space.gateway.url}${exportPath}`, { headers: ada.bearer });
    return answer.text();
  };

  expect(await bytes()).toBe(await bytes());
});

test('an export recreates the space in another account, and the response lists the missing secrets', async () => {
  const bob = await space.newAuthor();

  const { status, body } = await importInto(bob, file);

  expect(status).toBe(200);
  expect(body).toEqual({
    created: { upstreams: 1, resources: 2, prompts: 1, custom_tools: 3, agents: 2 },
    replaced: nothing,
    skipped: nothing,
    missing: {
      upstreams: [{ id: expect.any(String), name: 'docs', headers: ['authorization', 'x-team'] }],
      custom_tools: [{ id: expect.any(String), name: 'weather', secrets: ['MORE', 'TOKEN'] }],
    },
  });
  const [upstream] = file.upstreams;
  const copy = await exportOf(bob);
  expect(copy).toEqual({ ...file, upstreams: [{ ...upstream, header_names: [] }] });
  expect(await seenBy(bob)).toEqual(await seenBy(ada));
});

test('tools work again once their secrets are set by PATCH, and the space is then identical', async () => {
  const bob = await space.newAuthor();
  const { body } = await importInto(bob, file);
  const [upstream] = body.missing.upstreams;
  const [weather] = body.missing.custom_tools;
  const { secret } = await bob.createKey({ mcp_capabilities: ['tools'] });
  const call = async (name: string, input: object) => {
    const params = { name, arguments: input };
    return (await ask(bob.endpoint, { 'x-api-key': secret }, 'tools/call', params)).body.result;
  };
  expect((await call('weather', { city: 'Oslo' })).isError).toBe(true);

  await bob.rest(
    `/api/me/upstreams/${upstream!.id}`,
    { headers: { authorization: SECRETS.header, 'x-team': 'b' } },
    'PATCH',
  );
  const secrets = { TOKEN: SECRETS.token, MORE: 'b' };
  await bob.rest(`/api/me/custom-tools/${weather!.id}`, { secrets }, 'PATCH');

  expect(await call('weather', { city: 'Oslo' })).toMatchObject({
    structuredContent: { status: 200, result: { url: '/v1/Oslo' } },
  });
  expect(await call('echoes', { text: 'hi' })).toMatchObject({ structuredContent: { said: 'hi' } });
  expect(await exportOf(bob)).toEqual(file);
});

test('a quarantined tool stays absent until its current description is approved', async () => {
  const bob = await space.newAuthor();
  const { body } = await importInto(bob, file);
  const headers = { authorization: SECRETS.header };
  await bob.rest(`/api/me/upstreams/${body.missing.upstreams[0]!.id}`, { headers }, 'PATCH');
  const counts = (await bob.rest('/api/me/custom-tools')).body.data.find(
    ({ name }) => name === 'counts',
  )!;
  const toolPath = `/api/me/custom-tools/${counts.id}`;
  const names = async () => (await seenBy(bob)).tools.tools.map(({ name }) => name);
  expect(await names()).not.toContain('counts');

  await bob.rest(`/api/me/upstreams/${body.missing.upstreams[0]!.id}/tools`);

  expect((await bob.rest(toolPath)).body).toMatchObject({
    held: { found: { description: 'Counts, and more than it said.' } },
  });
  await bob.rest(`${toolPath}/approve`, {});
  expect(await names()).toContain('counts');
});

test('secrets may be written into a file before its import', async () => {
  const bob = await space.newAuthor();
  const [upstream] = file.upstreams;
  const filled = {
    ...file,
    upstreams: [{ ...upstream, headers: { Authorization: 'a', 'x-team': 'b' } }],
    custom_tools: file.custom_tools.map((tool) =>
      tool['name'] === 'weather' ? { ...tool, secrets: { TOKEN: 'a', MORE: 'b' } } : tool,
    ),
  };

  const { body } = await importInto(bob, filled);

  expect(body.missing).toEqual({ upstreams: [], custom_tools: [] });
  expect(await exportOf(bob)).toEqual(file);
});

test.each([
  ['GET', exportPath],
  ['POST', importPath],
])('%s %s requires a session: a key gets a 403, no credential a 401', async (method, path) => {
  const { secret } = await ada.createKey({
    grants: [{ scope: { type: 'personal' }, permissions: ['can_create_prompts'] }],
  });
  const status = async (headers: Record<string, string>) =>
    (await createPerson(space.gateway.url).ask({ method, path, headers })).status;

  expect([await status({}), await status({ 'x-api-key': secret })]).toEqual([401, 403]);
});

test('exports and imports are in the audit log, imports with their counts', async () => {
  const bob = await space.newAuthor();
  await importInto(bob, file);
  await exportOf(bob);

  const { body } = await bob.rest('/api/me/audit?action=space.');

  expect(body.data).toMatchObject([
    { action: 'space.export', target: [{ type: 'account', id: bob.account_id }], detail: null },
    { action: 'space.import', detail: { created: 9, replaced: 0, skipped: 0 } },
  ]);
});
