import { expect, test } from 'vitest';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { startSdkV1 } from '../../support/upstreams/sdk-v1.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const server = await closeAfterTests(startSdkV1());
const { world, gateway } = await useGateway({ OUTBOUND_ALLOW: '127.0.0.1' });
const ada = await signUp(world, gateway);
const grace = await signUp(world, gateway, 'grace');

interface Body {
  id: string;
  name: string;
  url: string;
  header_names: string[];
  data: { id: string; name: string; pin: string }[];
  errors: { code: string; message: string; detail: { pointer?: string } | null }[];
}
const path = '/api/me/upstreams';
const secret = 'Bearer never-shown-again';

const asPerson = (who: () => SignedUp) => (at: string, body?: unknown, method?: string) =>
  who().person.ask<Body>({
    path: `${path}${at}`,
    headers: who().bearer,
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  });
const ask = asPerson(() => ada);
const askAsGrace = asPerson(() => grace);
const add = async (change: object = {}) =>
  ask('', {
    name: `u${crypto.randomUUID()}`,
    url: server.url,
    headers: { Authorization: secret },
    ...change,
  });
const lastHeaders = () => server.seen.at(-1)?.headers;

test('an upstream is added, listed, read, changed and deleted, and its secrets are never shown', async () => {
  const { status, body } = await add({ name: 'docs' });

  expect([status, body.name, body.url, body.header_names]).toEqual([
    201,
    'docs',
    server.url,
    ['authorization'],
  ]);
  expect((await ask(`/${body.id}`)).body).toEqual(body);
  expect((await ask('?limit=1')).body.data).toEqual([body]);
  const changed = await ask(`/${body.id}`, { name: 'papers' }, 'PATCH');
  expect(changed.body).toMatchObject({ name: 'papers', header_names: ['authorization'] });
  const exported = await ada.person.ask<object>({ path: '/api/user/export', headers: ada.bearer });
  const audit = await world.query('SELECT * FROM audit_event');
  const rows = await world.query('SELECT encode(headers, $1) FROM upstream', ['escape']);
  expect(JSON.stringify(exported.body)).toContain('"papers"');
  expect(JSON.stringify([changed.body, exported.body, audit, rows])).not.toContain('never-shown');
  expect((await ask(`/${body.id}`, undefined, 'DELETE')).status).toBe(204);
  expect((await ask(`/${body.id}`)).status).toBe(404);
});

test('an upstream’s tools are requested with its headers, and each is returned with a pin', async () => {
  const { body } = await add();

  const { status, body: found } = await ask(`/${body.id}/tools`);

  expect([status, found.data.map(({ name }) => name)]).toEqual([200, Object.keys(server.tools)]);
  expect(lastHeaders()).toMatchObject({ authorization: secret });
  expect(lastHeaders()).not.toHaveProperty('x-forwarded-for');
  expect(lastHeaders()).not.toHaveProperty('cookie');
});

test('a header is set and removed by name; another origin gets no stored secret', async () => {
  const { body } = await add();
  const patch = (change: object) => ask(`/${body.id}`, change, 'PATCH');

  expect((await patch({ headers: { 'X-Team': 'a' } })).body.header_names).toEqual([
    'authorization',
    'x-team',
  ]);
  expect((await patch({ headers: { 'x-team': null } })).body.header_names).toEqual([
    'authorization',
  ]);
  await patch({ url: `${server.url}/other` });
  expect((await ask(`/${body.id}`)).body.header_names).toEqual(['authorization']);
  const elsewhere = await startSdkV1();
  const moved = await patch({ url: elsewhere.url, headers: { 'x-new': 'b' } });
  await ask(`/${body.id}/tools`);
  await elsewhere.close();

  expect(moved.body.header_names).toEqual(['x-new']);
  expect(elsewhere.seen.every(({ headers }) => headers.authorization === undefined)).toBe(true);
});

test.each<[object, number, string, string]>([
  [{ name: 'Docs' }, 400, 'invalid_body', '/name'],
  [{ name: undefined }, 400, 'invalid_body', '/name'],
  [{ url: 7 }, 400, 'invalid_body', '/url'],
  [{ headers: { 'a b': 'c' } }, 400, 'invalid_body', '/headers/a b'],
  [{ headers: { a: 'b\r\nc: d' } }, 400, 'invalid_body', '/headers/a'],
  [{ headers: { a: 1 } }, 400, 'invalid_body', '/headers/a'],
  [
    { headers: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`h${i}`, 'x'])) },
    400,
    'invalid_body',
    '/headers',
  ],
  [{ url: 'http://example.com/mcp' }, 422, 'url_not_allowed', '/url'],
  [{ url: 'https://me:you@example.com/' }, 422, 'url_not_allowed', '/url'],
  [{ url: 'https://10.0.0.1/mcp' }, 422, 'address_not_public', '/url'],
  [{ url: 'https://[::ffff:10.0.0.1]/mcp' }, 422, 'address_not_public', '/url'],
  [{ url: 'nonsense' }, 422, 'url_not_allowed', '/url'],
  [{ headers: { Host: 'example.com' } }, 422, 'header_not_allowed', '/headers/host'],
  [{ headers: { 'Mcp-Session-Id': 'x' } }, 422, 'header_not_allowed', '/headers/mcp-session-id'],
  [
    { headers: { 'Content-Type': 'text/html' } },
    422,
    'header_not_allowed',
    '/headers/content-type',
  ],
])('%j is refused and nothing is saved (B8-1, B8-2)', async (change, status, code, pointer) => {
  const count = () => world.query('SELECT id FROM upstream').then(({ length }) => length);
  const before = await count();

  const answer = await add(change);

  expect([
    answer.status,
    answer.body.errors[0]?.code,
    answer.body.errors[0]?.detail?.pointer,
  ]).toEqual([status, code, pointer]);
  expect(await count()).toBe(before);
});

test('a name is unique within an account, and free in another', async () => {
  await add({ name: 'taken' });

  expect((await add({ name: 'taken' })).status).toBe(409);
  const { body } = await add();
  expect((await ask(`/${body.id}`, { name: 'taken' }, 'PATCH')).status).toBe(409);
  expect((await askAsGrace('', { name: 'taken', url: server.url })).status).toBe(201);
});

test('another account’s upstream looks like one that does not exist (rel:P1)', async () => {
  const { body } = await add();
  const unknownId = '0190aaaa-0000-7000-8000-00000000dead';

  for (const [at, sent, method] of [
    ['', undefined, 'GET'],
    ['', { name: 'mine' }, 'PATCH'],
    ['', undefined, 'DELETE'],
    ['/tools', undefined, 'GET'],
  ] as const) {
    const foreign = await askAsGrace(`/${body.id}${at}`, sent, method);
    const unknown = await askAsGrace(`/${unknownId}${at}`, sent, method);
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
  }
});

test('a key needs the permission for each method (G, C1)', async () => {
  const { body } = await add();
  const grants = (permissions: string[]) => [{ scope: { type: 'personal' }, permissions }];
  const reader = await createKey(ada, { grants: grants(['can_view_tools']) });
  const withoutGrants = await createKey(ada, { grants: [] });
  const withKey = (key: string, at: string, sent?: unknown, method?: string) =>
    ada.person.ask<Body>({
      path: `${path}${at}`,
      headers: { 'x-api-key': key },
      ...(sent === undefined ? {} : { body: sent }),
      ...(method === undefined ? {} : { method }),
    });

  expect((await withKey(reader.secret, `/${body.id}/tools`)).status).toBe(200);
  expect((await withKey(reader.secret, '', { name: 'x', url: server.url })).status).toBe(403);
  expect((await withKey(reader.secret, `/${body.id}`, { name: 'x' }, 'PATCH')).status).toBe(403);
  expect((await withKey(reader.secret, `/${body.id}`, undefined, 'DELETE')).status).toBe(403);
  expect((await withKey(withoutGrants.secret, `/${body.id}`)).status).toBe(401);
});

test('an unreachable upstream gets a 422 with the reason', async () => {
  const closed = await startSdkV1();
  await closed.close();
  const { body } = await add({ url: closed.url });

  const answer = await ask(`/${body.id}/tools`);

  expect([answer.status, answer.body.errors[0]]).toEqual([
    422,
    {
      code: 'upstream_error',
      message: 'The upstream MCP server could not be called. The server could not be reached.',
      detail: { reason: 'unreachable' },
    },
  ]);
});

test('a plan’s limit of items applies to upstreams too', async () => {
  const other = await signUp(world, { url: ada.person.url }, 'many');
  const body = (index: number) => ({ name: `n${index}`, url: server.url });
  const more = (index: number) =>
    other.person.ask<Body>({ path, headers: other.bearer, body: body(index) });
  await world.query(
    `INSERT INTO upstream (id, space_id, name, url, header_names, headers)
     SELECT gen_random_uuid(), $1, 'old' || n, 'https://example.com/', '{}', ''
     FROM generate_series(1, 49) n`,
    [other.account_id],
  );

  const answers = await Promise.all([more(1), more(2), more(3)]);

  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '422', '422']);
});

test('an account may discover tools sixty times a minute, across all upstreams', async () => {
  const busy = await signUp(world, { url: ada.person.url }, 'busy');
  const discover = () =>
    busy.person.ask<Body>({ path: `${path}/${crypto.randomUUID()}/tools`, headers: busy.bearer });

  const answers = await Promise.all(Array.from({ length: 61 }, discover));

  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 404)).toHaveLength(60);
  const refused = answers.find(({ status }) => status === 429)!;
  expect(refused.body.errors[0]?.code).toBe('rate_limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});
