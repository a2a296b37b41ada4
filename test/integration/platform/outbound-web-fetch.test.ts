import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { catalog } from '../../../src/catalog/catalog.ts';
import { createWorkerPool } from '../../../src/catalog/worker-pool.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { toolNamed } from '../../support/worlds/tool-named.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const pages: Record<string, [type: string, body: string | Buffer, status?: number]> = {
  '/page': ['text/html; charset=utf-8', '<h1>Title</h1><script>x</script><p>Text</p>'],
  '/latin': ['text/plain; charset=iso-8859-1', Buffer.from('caf\xe9', 'latin1')],
  '/json': ['application/problem+json', '{"a":1}', 404],
  '/image': ['image/png', Buffer.from([1, 2, 3])],
};
const context = {
  signal: new AbortController().signal,
  fairnessKey: 'one',
  person: null,
  requirePermitted: async () => {},
  now: () => new Date(),
  outbound: createOutbound({ allow: ['127.0.0.1'] }),
  workers: createWorkerPool(),
};

const server = await closeAfterTests(
  createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (!page) response.writeHead(301, { location: '/page' }).end();
    else response.writeHead(page[2] ?? 200, { 'content-type': page[0] }).end(page[1]);
  }),
);
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(async () => {
  await Promise.all([context.workers.close(), context.outbound.close()]);
});

const fetchPage = (path: string, more: Record<string, unknown> = {}) =>
  toolNamed(catalog, 'web_fetch').run({ url: origin + path, ...more }, context);

test('a page is returned as Markdown, or unchanged', async () => {
  expect(await fetchPage('/page')).toEqual({
    url: `${origin}/page`,
    status: 200,
    content_type: 'text/html; charset=utf-8',
    content: '# Title\n\nText',
    total_characters: 13,
    next_start: null,
  });
  expect(await fetchPage('/page', { raw: true })).toMatchObject({ content: pages['/page']?.[1] });
});

test('a long text is returned in parts', async () => {
  expect(await fetchPage('/page', { start: 2, max_characters: 5 })).toMatchObject({
    content: 'Title',
    next_start: 7,
  });
});

test('the response’s charset and status are respected', async () => {
  expect(await fetchPage('/latin')).toMatchObject({ content: 'café' });
  expect(await fetchPage('/json')).toMatchObject({ status: 404, content: '{"a":1}' });
});

test('a response that is not text, and a redirect, are failures with details', async () => {
  await expect(fetchPage('/image')).rejects.toMatchObject({
    code: 'not_text',
    details: { content_type: 'image/png', bytes: 3 },
  });
  await expect(fetchPage('/moved')).rejects.toMatchObject({
    name: 'ToolFailure',
    code: 'redirect_refused',
    details: { location: `${origin}/page` },
  });
});
