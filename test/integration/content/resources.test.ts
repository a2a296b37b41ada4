import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eras } from '../mcp/both-eras.ts';
import { createAuthor, faultsOf, useAuthors } from './author.ts';
import type { Author } from './author.ts';

const { world, ada, bob } = await useAuthors();
const folder = mkdtempSync(join(tmpdir(), 'toolgate-plans-'));
const PLANS_FILE = join(folder, 'plans.json');
writeFileSync(PLANS_FILE, JSON.stringify({ free: { content_reads: { minute: 2 } } }));
const strictGateway = await world.gateway({ env: { PLANS_FILE } });
rmSync(folder, { recursive: true });

const path = '/api/me/resources';
const MAX_BYTES = 1_048_576;
const bytes = (count: number) => Buffer.alloc(count, 7).toString('base64');
const draft = (fields: Record<string, unknown> = {}) => ({
  path: `notes/${crypto.randomUUID().slice(0, 8)}.md`,
  title: 'Notes',
  mime_type: 'text/markdown',
  text: '# Notes\n',
  ...fields,
});

/** Creates a key for the account and reads resources with it. */
async function createReader(author: Author, era: (typeof eras)[number], fields: object = {}) {
  const { secret } = await author.createKey({ mcp_capabilities: ['resources'], ...fields });
  const ask = await era[1](author.endpoint, secret);
  const send = async (method: string, params?: Record<string, unknown>) =>
    JSON.parse((await ask(method, params)).text) as {
      result?: { resources: { uri: string; name: string }[]; contents: object[] };
      error?: { code: number; message: string; data?: object };
    };
  return {
    list: async () => (await send('resources/list')).result!.resources,
    read: (uri: unknown) => send('resources/read', { uri }),
  };
}

describe('resources over REST', () => {
  test('a resource is created, listed without its content, read, changed and deleted', async () => {
    const created = await ada.rest(path, draft({ path: 'round/ä b.md', description: 'D' }));
    const resourcePath = `${path}/${created.body.id}`;
    const { text, blob, ...listed } = created.body;

    expect([created.status, created.headers.get('etag')]).toEqual([201, '"1"']);
    expect(created.body).toMatchObject({
      ...{ path: 'round/ä b.md', title: 'Notes', description: 'D', mime_type: 'text/markdown' },
      ...{ text: '# Notes\n', blob: null, size: 8, version: 1 },
    });
    expect([text, blob]).toEqual(['# Notes\n', null]);
    expect((await ada.rest(path)).body.data).toContainEqual(listed);
    expect((await ada.rest(resourcePath)).body).toEqual(created.body);
    const changed = await ada.rest(resourcePath, { blob: 'AP8=', mime_type: null }, 'PATCH');
    expect(changed.body).toMatchObject({
      ...{ text: null, blob: 'AP8=', size: 2, mime_type: 'application/octet-stream' },
      ...{ path: 'round/ä b.md', title: 'Notes', version: 2 },
    });
    const restored = await ada.rest(`${resourcePath}/versions/1/restore`, {}, 'POST');
    expect(restored.body).toMatchObject({ text, size: 8, version: 3 });
    expect((await ada.rest(resourcePath, undefined, 'DELETE')).status).toBe(204);
    expect((await ada.rest(resourcePath)).status).toBe(404);
  });

  test('sending back what was read changes nothing', async () => {
    const created = await ada.rest(path, draft());

    const { version } = (await ada.rest(`${path}/${created.body.id}`, created.body, 'PATCH')).body;

    expect(version).toBe(1);
  });

  test.each([
    ['no path', { path: undefined }, '/path'],
    ['a path with ..', { path: '../a' }, '/path'],
    ['no content', { text: undefined }, '/text'],
    ['both text and a blob', { blob: 'YQ==' }, '/text'],
    ['nonzero padding bits in a blob', { text: undefined, blob: 'YR==' }, '/blob'],
    ['a media type with a line break', { mime_type: 'text/plain\nx: y' }, '/mime_type'],
    ['a hidden character', { title: 'a\u202eb' }, '/title'],
  ])('%s is refused (400) and nothing is saved', async (_what, fields, pointer) => {
    const before = (await bob.rest(path)).body.data.length;
    const answer = await bob.rest(path, draft(fields));

    expect([answer.status, answer.body.errors[0]!.detail?.pointer]).toEqual([400, pointer]);
    expect((await bob.rest(path)).body.data).toHaveLength(before);
  });

  test('a path that normalizes to an existing one gets a 409, on creation and on rename (P17)', async () => {
    await ada.rest(path, draft({ path: 'caf\u00e9/menu' }));
    const other = await ada.rest(path, draft());
    const alike = { path: 'cafe\u0301/menu' };

    expect(faultsOf(await ada.rest(path, draft(alike)))).toEqual([409, 'name_taken /path']);
    expect((await ada.rest(`${path}/${other.body.id}`, alike, 'PATCH')).status).toBe(409);
    const bobs = await bob.rest(path, draft(alike));
    expect([bobs.status, bobs.body['path']]).toEqual([201, 'caf\u00e9/menu']);
  });

  test.each([
    ['text', 'ä'.repeat(MAX_BYTES / 2), `${'ä'.repeat(MAX_BYTES / 2)}x`],
    ['blob', bytes(MAX_BYTES), bytes(MAX_BYTES + 1)],
  ])(
    '1 MB is stored as %s and read in full; one byte more gets a 422',
    { timeout: 30_000 },
    async (field, fits, more) => {
      const created = await ada.rest(path, draft({ text: undefined, [field]: fits }));
      const resourcePath = `${path}/${created.body.id}`;
      const refused = await ada.rest(path, draft({ text: undefined, [field]: more }));
      const changed = await ada.rest(resourcePath, { [field]: more }, 'PATCH');

      expect([created.status, created.body['size']]).toEqual([201, MAX_BYTES]);
      expect([refused, changed].map(faultsOf)).toEqual([
        [422, `too_large /${field}`],
        [422, `too_large /${field}`],
      ]);
      const reader = await createReader(ada, eras[1]);
      const uri = `toolgate://me/${created.body['path'] as string}`;
      const [content] = (await reader.read(uri)).result!.contents;
      expect(content).toEqual({ uri, mimeType: 'text/markdown', [field]: fits });
    },
  );

  test('a key needs the permission for each operation (rel:B1-14)', async () => {
    const { body } = await ada.rest(path, draft());
    const grants = [{ scope: { type: 'personal' }, permissions: ['can_view_resources'] }];
    const viewer = ada.restWith((await ada.createKey({ grants })).secret);
    const nothing = ada.restWith((await ada.createKey()).secret);

    expect((await viewer(path)).status).toBe(200);
    const refused = await viewer(path, draft());
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      403,
      expect.stringContaining('can_create_resources'),
    ]);
    expect((await viewer(`${path}/${body.id}`, undefined, 'DELETE')).status).toBe(403);
    expect((await nothing(path)).status).toBe(401);
    expect((await bob.rest(`${path}/${body.id}`)).status).toBe(404);
  });

  test('the export includes resources', async () => {
    const { body } = await bob.rest(path, draft());

    const { resources } = (await bob.rest('/api/user/export')).body as unknown as {
      resources: object[];
    };

    expect(resources).toContainEqual(body);
  });
});

describe.each(eras)('resources over MCP %s', (...era) => {
  const [name] = era;
  const absentError =
    name === '2026'
      ? { code: -32602, message: 'Resource not found' }
      : { code: -32601, message: 'Not found' };

  test('a resource is listed and read by its owner, and not found for everyone else', async () => {
    const own = await createReader(ada, era);
    const foreign = await createReader(bob, era);
    const [text, blob] = [`${name}/a b/ü?#%.md`, `${name}/bytes`];
    await ada.rest(path, draft({ path: text, description: 'D' }));
    await ada.rest(path, draft({ path: blob, text: undefined, blob: 'AP8=', title: null }));
    const uri = `toolgate://me/${name}/a%20b/%C3%BC%3F%23%25.md`;

    const listed = await own.list();
    expect(listed.find((resource) => resource.name === text)).toEqual({
      ...{ uri, name: text, title: 'Notes', description: 'D' },
      ...{ mimeType: 'text/markdown', size: 8 },
    });
    expect((await own.read(uri)).result).toMatchObject({
      contents: [{ uri, mimeType: 'text/markdown', text: '# Notes\n' }],
    });
    expect((await own.read(`toolgate://me/${blob}`)).result!.contents).toEqual([
      { uri: `toolgate://me/${blob}`, mimeType: 'text/markdown', blob: 'AP8=' },
    ]);
    expect((await foreign.list()).map((resource) => resource.name)).not.toContain(text);
    expect((await foreign.read(uri)).error).toEqual(absentError);
  });

  test('a URI in a non-canonical form is not found (B3-15)', async () => {
    const reader = await createReader(ada, era);
    await ada.rest(path, draft({ path: `${name}/real` }));

    const hostile = [
      `toolgate://me/${name}/../${name}/real`,
      `toolgate://me/./${name}/real`,
      `toolgate://me//${name}/real`,
      `toolgate://me/${name}%2Freal`,
      `toolgate://me/${name}/%72eal`,
      `toolgate://me/${name}/real/`,
      `toolgate://me/${name}/real?x`,
      `toolgate://me/${name}/real#x`,
      `TOOLGATE://me/${name}/real`,
      `toolgate://ada@me/${name}/real`,
      `toolgate://me/%00`,
      `toolgate://me/%`,
      'file:///etc/passwd',
      `toolgate://me/${'x'.repeat(10_000)}`,
      '',
    ];
    for (const uri of hostile) expect((await reader.read(uri)).error, uri).toEqual(absentError);
    expect((await reader.read(`toolgate://me/${name}/real`)).result).toBeDefined();
  });

  test('without the capability, the list is empty and resources are not found (C1)', async () => {
    const reader = await createReader(ada, era, { mcp_capabilities: ['tools', 'prompts'] });
    await ada.rest(path, draft({ path: `${name}/hidden` }));

    expect(await reader.list()).toEqual([]);
    expect((await reader.read(`toolgate://me/${name}/hidden`)).error).toEqual(absentError);
  });

  test('a policy filters lists and reads by path (P7, PO14)', async () => {
    const paths = ['docs/a', 'docs/b/.c', 'docsx/a', 'Docs/a', 'x/docs/a', 'docs'].map(
      (suffix) => `${name}/${suffix}`,
    );
    for (const itemPath of paths) await bob.rest(path, draft({ path: itemPath }));
    const patterns = [`${name}/docs/**`];
    const isBelow = (itemPath: string) => itemPath.startsWith(`${name}/docs/`);

    for (const mode of ['whitelist', 'blacklist']) {
      const reader = await createReader(bob, era, { resource_policy: { mode, patterns } });
      const admitted = paths.filter((itemPath) => isBelow(itemPath) === (mode === 'whitelist'));
      const listed = (await reader.list()).map((resource) => resource.name);
      expect(listed.filter((itemName) => itemName.startsWith(name))).toEqual(admitted.toSorted());
      for (const itemPath of paths) {
        const { result, error } = await reader.read(`toolgate://me/${itemPath}`);
        expect([itemPath, error], mode).toEqual([
          itemPath,
          admitted.includes(itemPath) ? undefined : absentError,
        ]);
        expect(result === undefined, mode).toBe(!admitted.includes(itemPath));
      }
    }
  });

  test('a URI that is not a string returns invalid params', async () => {
    const reader = await createReader(ada, era);

    for (const uri of [5, null, ['toolgate://me/a']])
      expect((await reader.read(uri)).error).toMatchObject({ code: -32602 });
  });
});

test.each(eras)(
  'in MCP %s, a read over the limit is refused and the response names the window; denied reads are not counted (B3-29)',
  async (...era) => {
    const eve = await createAuthor(world, strictGateway);
    await eve.rest(path, draft({ path: 'a' }));
    const reader = await createReader(eve, era);

    for (let denied = 0; denied < 3; denied += 1) await reader.read('toolgate://me/absent');
    // More reads than two minutes allow, in case a new minute begins in the meantime.
    const reads = Array.from({ length: 5 }, () => reader.read('toolgate://me/a'));
    const answers = await Promise.all(reads);

    const refused = answers.flatMap(({ error }) => error ?? []);
    expect(refused.length, 'two are allowed').toBeLessThanOrEqual(3);
    expect(refused[0]).toMatchObject({
      code: -32602,
      data: { code: 'rate_limited', window: 'minute', limit: 2 },
    });
    expect(refused[0]!.data).toHaveProperty('retry_after_seconds', expect.any(Number));
    expect((await reader.list()).map((resource) => resource.name)).toEqual(['a']);
  },
);
