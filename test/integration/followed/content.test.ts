import { expect, test } from 'vitest';
import { offeredContent } from '../../support/upstreams/content.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { faultsOf } from '../content/author.ts';
import {
  ALL_CONTENT,
  changesOf,
  contentKey,
  contentOf,
  ownOffering,
  prompt,
  reader,
  resource,
} from './content-world.ts';
import { addServer, createFollowedWorld } from './followed-world.ts';
import { createRefresh } from './followed-content.ts';

const { world, gateway, v1, v2, newAuthor } = await closeAfterTests(createFollowedWorld());
const { refresh } = await closeAfterTests(createRefresh(world, gateway));
for (const server of [v1, v2]) {
  const { prompts, resources } = offeredContent();
  Object.assign(server.prompts, prompts);
  Object.assign(server.resources, resources);
}

test.each([
  ['2025', v1],
  ['2026', v2],
])(
  'all prompts and resources of a server of protocol %s are imported, listed and read',
  async (_protocol, server) => {
    const owner = await newAuthor();
    const upstream = await addServer(owner, server.url);

    const { status, raw } = await upstream.import({ ...ALL_CONTENT, prefix: 'docs' });

    expect(status).toBe(200);
    const { prompts, resources } = contentOf(raw);
    expect(raw).toMatchObject({ created: [] });
    expect(prompts.created).toMatchObject([{ source: 'summarize', name: 'docs_summarize' }]);
    expect(resources.created.map(({ source, name }) => [source, name])).toEqual([
      ['docs://guide/intro.md', 'docs/guide/intro.md'],
      ['docs://logo', 'docs/logo'],
    ]);
    const agent = reader(owner, await contentKey(owner));
    expect((await agent.send('prompts/list')).result!.prompts).toMatchObject([
      {
        name: 'docs_summarize',
        title: 'Summarize',
        description: 'Summarizes a topic.',
        arguments: [
          { name: 'topic', required: true },
          { name: 'tone', required: false },
        ],
      },
    ]);
    expect((await agent.send('resources/list')).result!.resources).toMatchObject([
      { uri: 'toolgate://me/docs/guide/intro.md', mimeType: 'text/markdown' },
      { uri: 'toolgate://me/docs/logo', mimeType: 'image/png' },
    ]);
    expect((await agent.get('docs_summarize', { topic: 'foxes' })).result).toMatchObject({
      description: 'Summarizes a topic.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Summarize foxes, plainly.' } }],
    });
    const uri = 'toolgate://me/docs/guide/intro.md';
    expect((await agent.read(uri)).result!.contents).toEqual([
      { uri, mimeType: 'text/markdown', text: '# Begin' },
    ]);
    const logo = 'toolgate://me/docs/logo';
    expect((await agent.read(logo)).result!.contents).toEqual([
      { uri: logo, mimeType: 'image/png', blob: 'iVBORw0KGgo=' },
    ]);
  },
);

test('an import without filters for prompts and resources adds none', async () => {
  const owner = await newAuthor();
  const offered = { prompts: [prompt('ask')], resources: [resource('docs://a.md')] };
  const { upstream } = await ownOffering(owner, offered);

  const { raw } = await upstream.import();

  const nothing = { created: [], updated: [], skipped: [] };
  expect(raw).toMatchObject({ prompts: nothing, resources: nothing });
});

test('filters select by name and by path, and a repeated import adds nothing', async () => {
  const owner = await newAuthor();
  const { upstream } = await ownOffering(owner, {
    prompts: [prompt('ask'), prompt('ask_secret')],
    resources: [resource('docs://a.md'), resource('docs://drafts/b.md')],
  });
  const wish = {
    ...{ tools: { names: [] }, prefix: 'docs' },
    prompts: { names: ['ask*'], except: ['*_secret'] },
    resources: { except: ['drafts/**'] },
  };

  const first = contentOf((await upstream.import(wish)).raw);
  const second = contentOf((await upstream.import(wish)).raw);

  expect([first.prompts, first.resources].map(({ created }) => created.length)).toEqual([1, 1]);
  expect(second.prompts).toMatchObject({ created: [], skipped: [{ code: 'unchanged' }] });
  expect(second.resources).toMatchObject({ created: [], skipped: [{ code: 'unchanged' }] });
});

test('a preview saves nothing, and what it showed can be imported only as it was', async () => {
  const owner = await newAuthor();
  const offered = { prompts: [prompt('ask'), prompt('tell')], resources: [] };
  const { upstream } = await ownOffering(owner, offered);
  const preview = contentOf((await upstream.import({ ...ALL_CONTENT, dry_run: true })).raw);
  expect((await owner.rest('/api/me/prompts')).body.data).toEqual([]);
  offered.prompts[1] = prompt('tell', { description: 'Other.' });

  const prompt_pins = Object.fromEntries(
    preview.prompts.created.map(({ source, pin }) => [source, pin]),
  );
  const { prompts } = contentOf((await upstream.import({ ...ALL_CONTENT, prompt_pins })).raw);

  expect(preview.prompts.created.map(({ id }) => id)).toEqual([null, null]);
  expect(prompts.created.map(({ source }) => source)).toEqual(['ask']);
  expect(prompts.skipped).toMatchObject([{ source: 'tell', code: 'pin_mismatch' }]);
});

test('what cannot be offered is skipped with the reason, and the rest is added', async () => {
  const owner = await newAuthor();
  const { upstream } = await ownOffering(owner, {
    prompts: [
      prompt('good'),
      prompt('hidden', { description: 'a\u202eb' }),
      prompt('argument', { arguments: [{ name: 'not a name' }] }),
      prompt('many', { arguments: Array.from({ length: 51 }, (_, at) => ({ name: `a${at}` })) }),
    ],
    resources: [
      resource('docs://good'),
      resource('docs://type', { mimeType: 'not a type' }),
      resource(`docs://${'x'.repeat(2_001)}`),
    ],
  });

  const { prompts, resources } = contentOf((await upstream.import(ALL_CONTENT)).raw);

  expect(prompts.created.map(({ source }) => source)).toEqual(['good']);
  expect(prompts.skipped.map(({ code }) => code)).toEqual(Array(3).fill('unsuitable'));
  expect(resources.created.map(({ source }) => source)).toEqual(['docs://good']);
  expect(resources.skipped.map(({ code }) => code)).toEqual(Array(2).fill('unsuitable'));
});

test('only what a key may create is imported, and only what it may read is shown', async () => {
  const owner = await newAuthor();
  const offered = { prompts: [prompt('ask')], resources: [resource('docs://a.md')] };
  const { upstream } = await ownOffering(owner, offered);
  const keyWith = async (...permissions: string[]) => {
    const grants = [{ scope: { type: 'personal' }, permissions }];
    return owner.restWith((await owner.createKey({ grants })).secret);
  };
  const importer = await keyWith('can_create_tools', 'can_view_tools', 'can_create_prompts');

  const { body } = await importer(`${upstream.path}/import`, ALL_CONTENT);
  offered.prompts[0] = prompt('ask', { description: 'Other.' });
  await refresh(upstream.id);

  expect(contentOf(body).prompts.created).toHaveLength(1);
  expect(contentOf(body).resources).toMatchObject({
    created: [],
    skipped: [{ code: 'not_permitted' }],
  });
  const other = await keyWith('can_view_tools');
  expect(changesOf((await other(`${upstream.path}/changes`)).body).prompts).toEqual([]);
  const approver = await keyWith('can_update_tools', 'can_view_tools', 'can_view_prompts');
  expect(changesOf((await approver(`${upstream.path}/changes`)).body).prompts).toHaveLength(1);
  const { body: approved } = await approver(`${upstream.path}/changes/approve`, {});
  expect(contentOf(approved).prompts).toMatchObject({
    updated: [],
    skipped: [{ code: 'not_permitted' }],
  });
});

test('a plan that does not allow all of it adds nothing, not even of another family', async () => {
  const owner = await newAuthor();
  const { upstream } = await ownOffering(owner, {
    prompts: [prompt('ask')],
    resources: Array.from({ length: 51 }, (_, at) => resource(`docs://${at}`)),
  });

  const { status, raw } = await upstream.import(ALL_CONTENT);

  expect(faultsOf({ status, body: raw })).toEqual([422, 'limit_reached']);
  expect((await owner.rest('/api/me/prompts')).body.data).toEqual([]);
});
