import { expect, test } from 'vitest';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { faultsOf } from '../content/author.ts';
import type { Author } from '../content/author.ts';
import {
  ALL_CONTENT,
  contentKey,
  contentOf,
  ownOffering,
  prompt,
  reader,
  resource,
} from './content-world.ts';
import { createFollowedWorld } from './followed-world.ts';

const { newAuthor } = await closeAfterTests(createFollowedWorld());

async function imported(owner: Author) {
  const offered = { prompts: [prompt('ask')], resources: [resource('docs://a.md')] };
  const { upstream } = await ownOffering(owner, offered);
  const { prompts, resources } = contentOf(
    (await upstream.import({ ...ALL_CONTENT, prefix: 'docs' })).raw,
  );
  return {
    ...{ offered, upstream },
    promptPath: `/api/me/prompts/${prompts.created[0]!.id}`,
    resourcePath: `/api/me/resources/${resources.created[0]!.id}`,
  };
}

test('the record of an imported item says where it comes from, and has no text of its own', async () => {
  const owner = await newAuthor();
  const { upstream, promptPath, resourcePath } = await imported(owner);

  expect((await owner.rest(promptPath)).body).toMatchObject({
    ...{ messages: [], held: null },
    upstream: { upstream_id: upstream.id, prompt: 'ask' },
  });
  expect((await owner.rest(resourcePath)).body).toMatchObject({
    ...{ text: null, blob: null, size: null, held: null },
    upstream: { upstream_id: upstream.id, uri: 'docs://a.md' },
  });
  expect((await owner.rest('/api/me/prompts')).body.data).toMatchObject([
    { upstream: { upstream_id: upstream.id }, held: null },
  ]);
});

test('only the name of an imported prompt and the path of an imported resource can be changed', async () => {
  const owner = await newAuthor();
  const { promptPath, resourcePath } = await imported(owner);
  const change = (path: string, body: object) => owner.rest(path, body, 'PATCH');
  const messages = [{ role: 'user', content: 'Mine.' }];

  expect(faultsOf(await change(promptPath, { messages }))).toEqual([422, 'fixed_field /messages']);
  expect(faultsOf(await change(promptPath, { title: 'Mine' }))).toEqual([
    422,
    'fixed_field /title',
  ]);
  expect(faultsOf(await change(resourcePath, { text: 'Mine.' }))).toEqual([
    422,
    'fixed_field /text',
  ]);

  expect((await change(promptPath, { name: 'renamed', description: 'A prompt.' })).status).toBe(
    200,
  );
  expect((await change(resourcePath, { path: 'moved/a.md' })).status).toBe(200);
  const agent = reader(owner, await contentKey(owner));
  expect((await agent.get('renamed', { topic: 'x' })).result!.messages).toHaveLength(1);
  expect((await agent.read('toolgate://me/moved/a.md')).result!.contents).toHaveLength(1);
});

test('an upstream cannot be deleted while prompts or resources use it', async () => {
  const owner = await newAuthor();
  const { upstream, promptPath, resourcePath } = await imported(owner);
  const remove = () => owner.rest(upstream.path, undefined, 'DELETE');

  const refused = await remove();

  expect([refused.status, refused.body.errors[0]]).toMatchObject([
    409,
    {
      code: 'upstream_in_use',
      detail: {
        prompts: [promptPath.split('/').at(-1)],
        resources: [resourcePath.split('/').at(-1)],
      },
    },
  ]);
  for (const path of [promptPath, resourcePath]) await owner.rest(path, undefined, 'DELETE');
  expect((await remove()).status).toBe(204);
});

test('a space file has imported items with their pins, and quarantined ones stay so', async () => {
  const owner = await newAuthor();
  const { offered, upstream } = await imported(owner);
  offered.prompts[0] = prompt('ask', { description: 'Other.' });
  await upstream.import(ALL_CONTENT);
  const { body: file } = await owner.rest('/api/me/export');
  expect(file).toMatchObject({
    prompts: [{ name: 'docs_ask', upstream: { prompt: 'ask' }, held: true }],
    resources: [{ path: 'docs/a.md', upstream: { uri: 'docs://a.md' }, held: false }],
  });

  const other = await newAuthor();
  const { next_cursor: _, ...sent } = file;
  const { status, body } = await other.rest('/api/me/import', sent);

  expect([status, body['created']]).toMatchObject([200, { prompts: 1, resources: 1 }]);
  expect((await other.rest('/api/me/export')).body).toEqual(file);
  const agent = reader(other, await contentKey(other));
  expect(await agent.promptNames()).toEqual([]);
  expect((await agent.read('toolgate://me/docs/a.md')).result!.contents).toHaveLength(1);
});

test('an import of a space file does not turn an imported prompt into one with a text', async () => {
  const owner = await newAuthor();
  await imported(owner);
  const file = {
    ...{ format: 'toolgate-space', version: 1 },
    prompts: [{ name: 'docs_ask', messages: [{ role: 'user', content: 'Mine.' }] }],
  };

  const answer = await owner.rest('/api/me/import?on_conflict=replace', file);

  expect(faultsOf(answer)).toEqual([422, 'fixed_field /prompts/0/upstream']);
});
