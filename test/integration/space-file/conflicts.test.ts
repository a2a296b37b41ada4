import { expect, onTestFinished, test } from 'vitest';
import { faultsOf } from '../content/author.ts';
import { toolId } from '../mcp/key-holder.ts';
import {
  createSpaceWorld,
  exportOf,
  fileWith,
  httpTool,
  importInto,
  importPath,
  nothing,
  prompt,
  SECRETS,
} from './space-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const space = await closeAfterTests(createSpaceWorld());

const upstream = (url: string) => ({ name: 'docs', url, header_names: ['authorization'] });
const weather = (title: string) => httpTool(space.upstream.origin, { title });

/** Creates a space with one item in each of three lists. */
async function createSpace() {
  const author = await space.newAuthor();
  const file = fileWith({
    upstreams: [{ ...upstream(space.mcp.url), headers: { authorization: SECRETS.header } }],
    prompts: [prompt('greet', 'Before.')],
    custom_tools: [{ ...weather('Before'), secrets: { TOKEN: SECRETS.token, MORE: 'x' } }],
  });
  await importInto(author, file);
  const firstOf = async (path: string) => (await author.rest(`/api/me/${path}`)).body.data[0]!;
  return { author, firstOf };
}

const changedFile = () =>
  fileWith({
    upstreams: [upstream(space.mcp.url)],
    prompts: [prompt('new'), prompt('greet', 'After.')],
    custom_tools: [weather('After')],
  });

test('by default, taken names get a 409 with a pointer to each, and nothing is saved', async () => {
  const { author } = await createSpace();
  const before = await exportOf(author);

  const answer = await author.rest(importPath, changedFile());

  expect(faultsOf(answer)).toEqual([
    409,
    'name_taken /upstreams/0/name',
    'name_taken /prompts/1/name',
    'name_taken /custom_tools/0/name',
  ]);
  expect(await exportOf(author)).toEqual(before);
});

test('with skip, existing items are not changed, and the others are created', async () => {
  const { author, firstOf } = await createSpace();
  const tool = await firstOf('custom-tools');

  const { body } = await importInto(author, changedFile(), '?on_conflict=skip');

  expect(body).toEqual({
    created: { ...nothing, prompts: 1 },
    replaced: nothing,
    skipped: { ...nothing, upstreams: 1, prompts: 1, custom_tools: 1 },
    missing: { upstreams: [], custom_tools: [] },
  });
  expect(await firstOf('custom-tools')).toEqual(tool);
  expect((await exportOf(author)).prompts).toMatchObject([
    { name: 'greet', messages: [{ content: 'Before.' }] },
    { name: 'new' },
  ]);
});

test('with replace, an existing item gets a new version and keeps its id, history and secrets', async () => {
  const { author, firstOf } = await createSpace();
  const tool = await firstOf('custom-tools');
  const tool_policy = { mode: 'blacklist', tools: [toolId('uuid')], custom_tools: [tool.id] };
  const { id } = await author.createKey({ mcp_capabilities: ['tools'], tool_policy });

  const { body } = await importInto(author, changedFile(), '?on_conflict=replace');

  expect(body).toEqual({
    created: { ...nothing, prompts: 1 },
    replaced: { ...nothing, upstreams: 1, prompts: 1, custom_tools: 1 },
    skipped: nothing,
    missing: { upstreams: [], custom_tools: [] },
  });
  expect(await firstOf('custom-tools')).toMatchObject({ id: tool.id, version: 2, title: 'After' });
  const versions = await author.rest(`/api/me/custom-tools/${tool.id}/versions`);
  expect(versions.body.data).toMatchObject([{ version: 2 }, { version: 1 }]);
  expect((await author.rest(`/api/keys/${id}`)).body).toMatchObject({ tool_policy });
});

test('importing the same file again creates no new versions of unchanged items', async () => {
  const { author, firstOf } = await createSpace();
  const file = await exportOf(author);

  const { body } = await importInto(author, file, '?on_conflict=replace');

  expect(body).toMatchObject({
    replaced: { upstreams: 1 },
    skipped: { prompts: 1, custom_tools: 1 },
  });
  expect(await firstOf('prompts')).toMatchObject({ version: 1 });
  expect(await exportOf(author)).toEqual(file);
});

test('a secret is never sent to another origin: if an import changes the origin, the secret must be set again', async () => {
  const { author } = await createSpace();
  const file = fileWith({
    upstreams: [upstream('https://elsewhere.example/mcp')],
    custom_tools: [httpTool('https://elsewhere.example')],
  });

  const { body } = await importInto(author, file, '?on_conflict=replace');

  expect(body.missing).toMatchObject({
    upstreams: [{ name: 'docs', headers: ['authorization'] }],
    custom_tools: [{ name: 'weather', secrets: ['MORE', 'TOKEN'] }],
  });
});

test('a secret that an import moves to another place in the request must be set again', async () => {
  const { author } = await createSpace();
  const tool = httpTool(space.upstream.origin);
  const http = { ...tool.http, headers: {}, query: { token: '{{secret.TOKEN}}' } };

  const { body } = await importInto(
    author,
    fileWith({ custom_tools: [{ ...tool, http }] }),
    '?on_conflict=replace',
  );

  expect(body.missing.custom_tools).toMatchObject([{ name: 'weather', secrets: ['TOKEN'] }]);
});

test('a replacement cannot change a tool’s kind', async () => {
  const { author } = await createSpace();
  const annotations = { readOnlyHint: true, destructiveHint: true, idempotentHint: true };
  const tool = {
    ...{ name: 'weather', kind: 'mcp', title: null, description: 'Other.', output_schema: null },
    input_schema: { type: 'object' },
    annotations: { ...annotations, openWorldHint: true },
    mcp: { upstream: 'docs', tool: 'echo', pin: 'x' },
  };

  const answer = await author.rest(
    `${importPath}?on_conflict=replace`,
    fileWith({ custom_tools: [tool] }),
  );

  expect(faultsOf(answer)).toEqual([422, 'fixed_field /custom_tools/0/kind']);
});

test('built-in items are selected in addition to existing ones: an import deselects nothing', async () => {
  const { author } = await createSpace();
  await author.select(['uuid']);

  await importInto(author, fileWith({ mcp_settings: { tools: ['hash'] } }));

  expect((await exportOf(author)).mcp_settings).toEqual({
    tools: ['hash', 'uuid'],
    platform_prompts: [],
  });
});

test('conditions and tools in a file can refer to existing items in the space', async () => {
  const { author, firstOf } = await createSpace();
  const when = { prompt: 'greet' };
  const agents = [
    {
      ...{ name: 'lead', description: 'Leads.', instructions: 'Lead.' },
      components: [{ name: 'a', content: 'A.', when }],
    },
  ];

  const { status } = await importInto(author, fileWith({ agents }));

  expect(status).toBe(200);
  const { id } = await firstOf('prompts');
  expect(await firstOf('agents')).toMatchObject({ components: [{ when: { prompt: id } }] });
});

test('the plan limits existing and imported items together', async () => {
  const { author } = await createSpace();
  const prompts = Array.from({ length: 50 }, (_, index) => prompt(`p${index}`));

  expect(faultsOf(await author.rest(importPath, fileWith({ prompts })))).toEqual([
    422,
    'limit_reached /prompts',
  ]);
  const fitting = await importInto(author, fileWith({ prompts: prompts.slice(1) }));
  expect(fitting.body.created['prompts']).toBe(49);
});

test('an error during the import rolls everything back and returns a 500 without the reason', async () => {
  const { author } = await createSpace();
  const { world } = space;
  await world.query(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.name = 'the_last' THEN RAISE EXCEPTION 'canary'; END IF; RETURN NEW; END $$`);
  await world.query(
    'CREATE TRIGGER lose BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION lose()',
  );
  onTestFinished(async () => void (await world.query('DROP FUNCTION lose CASCADE')));
  const [before, audit] = [
    await exportOf(author),
    await author.rest('/api/me/audit?action=space.import'),
  ];
  const agents = [{ name: 'the_last', description: 'Last.', instructions: 'Last.' }];
  const file = { ...changedFile(), mcp_settings: { tools: ['uuid'] }, agents };

  const answer = await author.rest(`${importPath}?on_conflict=replace`, file);

  expect(faultsOf(answer)).toEqual([500, 'internal_error']);
  expect(JSON.stringify(answer.body)).not.toContain('canary');
  expect(await exportOf(author)).toEqual(before);
  expect((await author.rest('/api/me/audit?action=space.import')).body).toEqual(audit.body);
  await world.query('DROP TRIGGER lose ON item');
  expect((await importInto(author, file, '?on_conflict=replace')).status).toBe(200);
});

test('only one of several concurrent imports succeeds, and no name is duplicated', async () => {
  const author = await space.newAuthor();
  const prompts = Array.from({ length: 20 }, (_, index) => prompt(`p${index}`));

  const answers = await Promise.all(
    Array.from({ length: 6 }, () => author.rest(importPath, fileWith({ prompts }))),
  );

  const statuses = answers.map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409]);
  expect((await exportOf(author)).prompts).toHaveLength(20);
});

test('an item created between the check and the write is handled like any existing one', async () => {
  const author = await space.newAuthor();
  const prompts = Array.from({ length: 30 }, (_, index) => prompt(`p${index}`));

  const answers = await Promise.all(
    Array.from({ length: 4 }, () => importInto(author, fileWith({ prompts }), '?on_conflict=skip')),
  );

  const counts = answers.map(({ body }) => `${body.created['prompts']} ${body.skipped['prompts']}`);
  expect(counts.toSorted((a, b) => a.localeCompare(b))).toEqual(['0 30', '0 30', '0 30', '30 0']);
});
