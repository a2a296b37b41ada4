import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let gateway: Gateway;
beforeAll(async () => {
  world = await createWorld();
  gateway = await world.gateway();
});
afterAll(() => world?.close());

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, { headers: { accept: BROWSER, ...headers }, redirect: 'manual' });

test.each(['/', '/first-run', '/sign-in', '/sign-up', '/forgot', '/app', '/app/keys/new'])(
  '%s is the page of the dashboard, under its policy and checked each time',
  async (path) => {
    const answer = await get(path);

    expect(answer.status).toBe(200);
    expect(await answer.text()).toMatch(/^<!doctype html>[^]*<div id="root">/);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toMatch(/default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|https:/);
  },
);

test.each([
  ...['/.well-known/unknown', '/mcp/unknown', '/oauth/unknown', '/api/unknown', '/health/unknown'],
  ...['/metrics/unknown', '/unknown', '/assets/unknown.js', '/assets/../package.json', '/apps'],
])('%s is a JSON 404, also for a browser', async (path) => {
  const answer = await get(path);

  expect(answer.status).toBe(404);
  expect(await answer.json()).toEqual({ errors: [expect.objectContaining({ code: 'not_found' })] });
});

test.each(['*/*', 'application/json', 'application/json, text/event-stream'])(
  'a client that accepts %s gets a JSON 404 instead of the page',
  async (accept) => {
    for (const path of ['/', '/app', '/app/keys']) {
      const answer = await get(path, { accept });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    }
  },
);

test('HEAD is answered as GET, and any other method with 405', async () => {
  const head = await fetch(`${gateway.url}/app`, { method: 'HEAD', headers: { accept: BROWSER } });
  const post = await fetch(`${gateway.url}/app`, { method: 'POST', headers: { accept: BROWSER } });

  expect([head.status, await head.text(), post.status]).toEqual([200, '', 405]);
});

test('assets are compressed ahead, and may be kept for a year', async () => {
  const page = await (await get('/app')).text();
  const scripts = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  expect(scripts.length).toBeGreaterThan(1);
  for (const path of scripts)
    for (const encoding of ['br', 'gzip']) {
      const answer = await get(path, { 'accept-encoding': encoding });
      expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, encoding]);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('vary')).toMatch(/accept-encoding/i);
      await answer.arrayBuffer();
    }
});

test.each(['/mark.svg', '/color-scheme.js'])(
  '%s, whose name does not change with its content, may be kept for an hour only',
  async (path) => {
    const answer = await get(path);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600');
  },
);

test.each(['/assets/..%2findex.html', '/assets/%00', '/assets//main.js', '/assets/.hidden'])(
  '%s names no file',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

test('a file is sent whole whatever range is requested, but not instead of another version of it', async () => {
  const beyond = await get('/mark.svg', { range: 'bytes=99999999-' });
  const other = await get('/mark.svg', { 'if-match': '"another"' });

  expect([beyond.status, (await beyond.text()).length > 100]).toEqual([200, true]);
  expect([other.status, await other.json()]).toMatchObject([
    412,
    { errors: [{ code: 'version_mismatch' }] },
  ]);
});
