import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createOrganization } from '../../support/people/organizations.ts';
import { createKey, ownAddresses, signUp } from '../../support/people/people.ts';
import { useProxiedGateway } from '../../support/worlds/use-proxied-gateway.ts';

const LONG_ENTRIES = 48;
const MEGABYTE = 1_048_576;
const MAX_ENTRIES = 50_000;

const { world, gateway, proxy: postgres } = await useProxiedGateway('DATABASE_URL', ownAddresses);
const ada = await signUp(world, gateway, 'ada');
const eve = await signUp(world, gateway, 'eve');
const acme = (await createOrganization(ada)).id;
// Text that neither PostgreSQL nor its protocol can shorten.
await world.query(
  `INSERT INTO audit_event (id, at, actor_kind, action, scope_kind, scope_id, detail, detail_bytes)
   SELECT gen_random_uuid(), '2026-01-01T00:00:00Z'::timestamptz - make_interval(mins => n),
     'system', 'team.policy', 'account', $1,
     jsonb_build_object('after', repeat(md5(n::text), $3 / 32)), $3
   FROM generate_series(1, $2::int) AS n`,
  [ada.account_id, LONG_ENTRIES, MEGABYTE],
);

const request = (path: string, headers: Record<string, string> = {}, who = ada) =>
  fetch(`${gateway.url}${path}`, { headers: { ...who.bearer, ...headers } });
/** Resolves with the response as soon as it begins, without reading its body. */
const begin = (path: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(`${gateway.url}${path}`, { headers: ada.bearer }, resolve).on('error', reject);
  });
const LONG = '/api/me/audit?format=jsonl&action=team.policy';

test.each([
  ['a parameter', '?format=csv', {}],
  ['the Accept header', '', { accept: 'text/csv' }],
])('daily usage is sent as CSV for %s', async (_what, query, headers) => {
  for (const path of ['/api/me/usage/daily', `/api/organizations/${acme}/usage/daily`]) {
    const response = await request(`${path}${query}`, headers);
    const { days } = (await (await request(path)).json()) as { days: { day: string }[] };

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="toolgate-usage.csv"',
    );
    expect(await response.text()).toBe(
      ['day,calls,refused,content_reads', ...days.map(({ day }) => `${day},0,0,0`), ''].join(
        '\r\n',
      ),
    );
  }
});

test('an audit log is sent as JSON lines and CSV with the entries of its pages', async () => {
  for (const path of [
    '/api/me/audit?outcome=done&from=2026-01-02T00:00:00Z',
    `/api/organizations/${acme}/audit`,
  ]) {
    const query = path.includes('?') ? '&' : '?';
    const { data } = (await (await request(path)).json()) as { data: object[] };
    const lines = await request(path, { accept: 'application/x-ndjson' });
    const csv = await (await request(`${path}${query}format=csv`)).text();

    expect(data.length).toBeGreaterThan(0);
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
    expect(
      (await lines.text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(data);
    expect(csv.trimEnd().split('\r\n')).toHaveLength(1 + data.length);
    expect(csv).toMatch(/^id,at,actor\.kind,actor\.id,/);
  }
});

test('the file of an audit log has the columns that its entries fill: names of keys only in the person’s own log', async () => {
  const headerOf = async (path: string) =>
    (await (await request(`${path}?format=csv`)).text()).split('\r\n')[0]!.split(',');
  const own = await headerOf('/api/me/audit');
  const ofOrganization = await headerOf(`/api/organizations/${acme}/audit`);

  expect(own.filter((column) => !ofOrganization.includes(column))).toEqual(['credential.name']);
  expect(ofOrganization.filter((column) => !own.includes(column))).toEqual(['actor.email']);
});

test('a cell of an audit log that begins like a formula is sent as text', async () => {
  const key = await createKey(ada, {
    name: '=HYPERLINK("https://evil.example","x")',
    grants: [{ scope: { type: 'personal' }, permissions: ['can_create_prompts'] }],
  });
  const body = JSON.stringify({ name: 'p', messages: [{ role: 'user', content: 'x' }] });
  const headers = { 'x-api-key': key.secret, 'content-type': 'application/json' };
  const made = await fetch(`${gateway.url}/api/me/prompts`, { method: 'POST', headers, body });
  expect(made.status).toBe(201);

  const csv = await (await request('/api/me/audit?format=csv&action=prompt.create')).text();

  expect(csv).toContain(`"'=HYPERLINK(""https://evil.example"",""x"")"`);
});

test.each([
  ['?format=xml', '/format'],
  ['?format=', '/format'],
  ['?format=csv&limit=10', '/limit'],
  ['?format=jsonl&cursor=x', '/cursor'],
  ['?format=csv&unknown=1', '/unknown'],
])('a file of an audit log with %s is refused with 400', async (query, pointer) => {
  const response = await request(`/api/me/audit${query}`);
  const { errors } = (await response.json()) as { errors: { code: string; detail: unknown }[] };

  expect([response.status, errors[0]!.code]).toEqual([400, 'invalid_query']);
  expect(errors[0]!.detail).toEqual({ pointer });
});

test('daily usage by item has no file, and a route without files has no parameter for them', async () => {
  expect((await request('/api/me/usage/daily?by=item&format=csv')).status).toBe(400);
  expect((await request('/api/me/usage?format=csv')).status).toBe(400);
  const json = await request('/api/me/usage', { accept: 'text/csv' });
  expect(json.headers.get('content-type')).toMatch(/^application\/json/);
});

test.each(['text/csv, application/json', 'text/html, */*', 'text/csv, application/x-ndjson'])(
  'Accept: %s gets JSON',
  async (accept) => {
    const response = await request('/api/me/audit?limit=1', { accept });

    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  },
);

test('who may not read a list gets no file of it either', async () => {
  const path = `/api/organizations/${acme}/audit?format=csv`;

  expect((await request(path, {}, eve)).status).toBe(404);
  expect((await fetch(`${gateway.url}${path}`)).status).toBe(401);
});

test('a log with more entries than a file may have is refused with 422, and a period of it is sent', async () => {
  await world.query(
    `INSERT INTO audit_event (id, at, actor_kind, action, scope_kind, scope_id)
     SELECT gen_random_uuid(), '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => n),
       'system', 'team.policy', 'account', $1 FROM generate_series(0, $2::int) AS n`,
    [eve.account_id, MAX_ENTRIES],
  );
  const path = '/api/me/audit?format=jsonl&action=team.policy';
  const refused = await request(path, {}, eve);
  const { errors } = (await refused.json()) as { errors: { code: string }[] };
  const sent = await request(`${path}&from=2026-01-01T00:00:01Z`, {}, eve);

  expect([refused.status, errors[0]!.code]).toEqual([422, 'too_large']);
  expect(sent.status).toBe(200);
  const ids = (await sent.text())
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
  expect(new Set(ids).size).toBe(MAX_ENTRIES);
}, 60_000);

test('a file pauses its database reads while the client does not read', async () => {
  const before = postgres.replied();
  const answer = await begin(LONG);
  let read = 0;
  const isStalled = () => {
    const last = read;
    read = postgres.replied() - before;
    return read > 3 * MEGABYTE && read - last < MEGABYTE;
  };
  await expect.poll(isStalled, { interval: 1_000, timeout: 20_000 }).toBe(true);

  // Two system buffers and two pages.
  expect(read).toBeLessThan((LONG_ENTRIES / 2) * MEGABYTE);
  expect((await text(answer)).trimEnd().split('\n')).toHaveLength(LONG_ENTRIES);
});

test('no more is read for a client that has gone', async () => {
  const before = postgres.replied();
  const answer = await begin(LONG);
  answer.destroy();
  let read = -1;
  const isStalled = () => {
    const last = read;
    read = postgres.replied() - before;
    return read - last < MEGABYTE;
  };
  await expect.poll(isStalled, { interval: 1_000, timeout: 20_000 }).toBe(true);
  await setTimeout(1_000);

  expect(postgres.replied() - before).toBeLessThan((LONG_ENTRIES / 2) * MEGABYTE);
});

test('a file that loses its database connection is aborted, not completed as a shorter file', async () => {
  const answer = await begin(LONG);
  postgres.loseReply('bytes_before', 'cut');

  await expect(text(answer)).rejects.toThrow('aborted');
  expect(postgres.lost()).toBe(1);
  expect((await text(await begin(LONG))).trimEnd().split('\n')).toHaveLength(LONG_ENTRIES);
});

test('a database that is down before the first byte gets the JSON error of any other request', async () => {
  postgres.loseReply('bytes_before', 'cut');
  const response = await request('/api/me/audit?format=csv&action=profile.');

  expect(response.status).toBe(503);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(response.headers.get('content-disposition')).toBeNull();
  const { errors } = (await response.json()) as { errors: { code: string }[] };
  expect(errors[0]!.code).toBe('service_unavailable');
});
