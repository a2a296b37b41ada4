import { expect, onTestFinished, test } from 'vitest';
import { listContents } from '../../../src/content/space-file/store.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import type { Author } from '../content/author.ts';
import {
  createSpaceWorld,
  exportOf,
  fileWith,
  httpTool,
  importInto,
  prompt,
} from './space-world.ts';
import type { SpaceFile } from './space-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const BODY_BYTES = 2_097_152;

const space = await closeAfterTests(createSpaceWorld());

async function exportAll(author: Author): Promise<SpaceFile[]> {
  const files = [await exportOf(author)];
  for (let { next_cursor } = files[0]!; next_cursor !== null;) {
    const file = await exportOf(author, next_cursor);
    files.push(file);
    next_cursor = file.next_cursor;
  }
  return files;
}

/** Imports the files unchanged, one after another, and expects the same files when exporting. */
async function expectRoundTrip(files: SpaceFile[]) {
  const author = await space.newAuthor();
  for (const file of files) {
    expect(Buffer.byteLength(JSON.stringify(file))).toBeLessThanOrEqual(BODY_BYTES);
    expect((await importInto(author, file)).status).toBe(200);
  }
  expect(await exportAll(author)).toEqual(files);
}

test('a space too large for one import is exported as several files, each small enough', async () => {
  const author = await space.newAuthor();
  await author.select(['uuid']);
  await importInto(author, fileWith({ prompts: [prompt('greet')] }));
  const text = 'x'.repeat(700_000);
  for (const name of ['a', 'é', 'b', 'B', '日'])
    await author.rest('/api/me/resources', { path: `notes/${name}/1.md`, text });

  const files = await exportAll(author);

  expect(files.map(({ resources }) => resources.map(({ path }) => path))).toEqual([
    ['notes/B/1.md', 'notes/a/1.md'],
    ['notes/b/1.md', 'notes/é/1.md'],
    ['notes/日/1.md'],
  ]);
  expect(files.map((file) => 'mcp_settings' in file)).toEqual([true, false, false]);
  await expectRoundTrip(files);
});

test('a list is read only until the file is full, plus one item', async () => {
  const author = await space.newAuthor();
  const text = 'x'.repeat(300_000);
  for (const path of ['a', 'b', 'c', 'd', 'e'])
    await author.rest('/api/me/resources', { path, text });
  const database = await createDatabase({
    url: space.world.env['DATABASE_URL']!,
    onIdleError: () => {},
  });
  onTestFinished(database.close);
  const read = async (after: string, room: number) => {
    const range = { space_id: author.account_id, after, room };
    return (await listContents(database.pool, 'resource', range)).map(({ name }) => name);
  };

  expect(await read('', 0)).toEqual(['a']);
  expect(await read('', 700_000)).toEqual(['a', 'b', 'c']);
  expect(await read('c', 10_000_000)).toEqual(['d', 'e']);
});

test('a list that fits in one file is not split: agents that name each other stay together', async () => {
  const author = await space.newAuthor();
  const agent = (name: string, other: string) => ({
    ...{ name, description: 'Helps.', instructions: 'x'.repeat(90_000) },
    components: [{ name: 'a', content: 'A.', when: { agent: other } }],
  });
  const agents = Array.from({ length: 20 }, (_, index) =>
    agent(`a${index}`, `a${(index + 1) % 20}`),
  );
  await importInto(author, fileWith({ agents }));
  await author.rest('/api/me/resources', { path: 'large', text: 'x'.repeat(700_000) });

  const files = await exportAll(author);

  expect(files.map((file) => [file.resources.length, file.agents.length])).toEqual([
    [1, 0],
    [0, 20],
  ]);
  await expectRoundTrip(files);
});

test('the export counts JSON structure like the limit on request bodies does', async () => {
  const author = await space.newAuthor();
  const body = Array.from({ length: 8_000 }, () => []);
  const tool = (index: number) => {
    const { http, ...more } = httpTool(space.upstream.origin, { name: `t${index}` });
    return { ...more, http: { ...http, method: 'POST', body } };
  };
  for (let index = 0; index < 8; index += 1)
    expect((await author.rest('/api/me/custom-tools', tool(index))).status).toBe(201);

  const files = await exportAll(author);

  expect(files.map(({ custom_tools }) => custom_tools.length)).toEqual([4, 4]);
  await expectRoundTrip(files);
});

test('a body with the 32 levels that REST accepts is not too deep in a file', async () => {
  const author = await space.newAuthor();
  let body: unknown = 'x';
  for (let level = 0; level < 29; level += 1) body = [body];
  const { http, ...more } = httpTool(space.upstream.origin);
  const tool = { ...more, http: { ...http, method: 'POST', body } };
  expect((await author.rest('/api/me/custom-tools', tool)).status).toBe(201);

  await expectRoundTrip(await exportAll(author));
});

test('an export is a consistent snapshot: it contains no partial edit', async () => {
  const author = await space.newAuthor();
  const pair = (text: string) =>
    fileWith({ prompts: [prompt('a', text)], resources: [{ path: 'a', text }] });
  await importInto(author, pair('0'));

  const edits = (async () => {
    for (let round = 1; round < 20; round += 1)
      await importInto(author, pair(String(round)), '?on_conflict=replace');
  })();
  const seen = [];
  for (let round = 0; round < 20; round += 1) seen.push(await exportOf(author));
  await edits;

  for (const { prompts, resources } of seen)
    expect(prompts[0]!['messages']).toEqual([{ role: 'user', content: resources[0]!['text'] }]);
});
