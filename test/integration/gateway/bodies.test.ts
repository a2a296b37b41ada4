import { expect, test } from 'vitest';
import { signUp } from '../../support/people/people.ts';
import { sendRaw } from '../../support/servers/raw-request.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);

const JSON_TYPE = 'application/json';
const draft = (fields: object = {}) =>
  JSON.stringify({ name: crypto.randomUUID(), mcp_capabilities: [], ...fields });

interface Errors {
  errors: { code: string; message: string; detail: unknown }[];
}

/** Sends a request to create a key with this body. */
async function post(body: string | Buffer, headers: Record<string, string> = {}) {
  const head = [
    'POST /api/keys HTTP/1.1',
    'Host: localhost',
    'Connection: close',
    `Authorization: Bearer ${ada.access_token}`,
    ...Object.entries({ 'Content-Type': JSON_TYPE, ...headers })
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}: ${value}`),
    ...('Content-Length' in headers || 'Transfer-Encoding' in headers
      ? []
      : [`Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
  return sendRaw(gateway.url, bytes, 3_000);
}

async function countKeys(): Promise<number> {
  const [row] = await world.query<{ n: number }>('SELECT count(*)::int AS n FROM api_key');
  return row!.n;
}

function statusOfRefusal({
  status,
  headers,
  body,
}: {
  status: number;
  headers: string;
  body: string;
}) {
  const { errors, ...rest } = JSON.parse(body) as Errors;
  expect(rest).toEqual({});
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) expect(Object.keys(error)).toEqual(['code', 'message', 'detail']);
  expect(headers.toLowerCase()).toContain('cache-control: no-store');
  expect(headers.toLowerCase()).toContain('content-type: application/json');
  expect(body).not.toMatch(/\bat .*\.ts|SELECT|stack|sk_|node_modules/);
  return status;
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test.for([
  ['empty', ''],
  ['null', 'null'],
  ['an array', '[]'],
  ['a number', '5'],
  ['truncated', '{"name":"a"'],
  ['a comment', '{/*a*/}'],
  ['NaN', '{"name":NaN}'],
  ['two documents', '{}{}'],
  ['a byte order mark', `\uFEFF${draft()}`],
  ['33 levels', draft({ deep: JSON.parse(nested(32)) })],
  ['a duplicate key', '{"name":"a","name":"b","mcp_capabilities":[]}'],
  ['a nested duplicate key', '{"name":"a","mcp_capabilities":[],"x":{"y":1,"y":2}}'],
  ['NUL', '{"name":"a\\u0000b","mcp_capabilities":[]}'],
  ['a lone surrogate', '{"name":"a\\ud800b","mcp_capabilities":[]}'],
  ['__proto__', '{"name":"a","mcp_capabilities":[],"__proto__":{"x":1}}'],
  ['a number for a string', '{"name":5,"mcp_capabilities":[]}'],
  ['a string for a list', '{"name":"a","mcp_capabilities":"tools"}'],
] as const)(
  'an invalid body (%s) gets a 400 and saves nothing (rel:B2-1, B2-6…B2-11)',
  async ([, body]) => {
    const before = await countKeys();

    const answer = await post(body);

    expect(statusOfRefusal(answer)).toBe(400);
    expect(await countKeys()).toBe(before);
  },
);

test('invalid UTF-8 gets a 400 (rel:B2-8)', async () => {
  const bytes = Buffer.concat([
    Buffer.from('{"name":"'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('","mcp_capabilities":[]}'),
  ]);

  expect(statusOfRefusal(await post(bytes))).toBe(400);
});

test('900,000 levels of nesting are refused, and the next valid request works (rel:B2-6)', async () => {
  expect(statusOfRefusal(await post(nested(900_000)))).toBe(400);
  expect((await post(draft())).status).toBe(201);
});

test.for(['text/json', 'APPLICATION/JSON', 'application/x+json; charset=utf-8'])(
  '%s is accepted as JSON (rel:B2-2)',
  async (type) => {
    expect((await post(draft(), { 'Content-Type': type })).status).toBe(201);
  },
);

test.for([
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonx',
  'application/json\t; charset=utf-8',
  'text/plain; a=application/json',
  'application/json, application/json',
])('"%s" is not accepted as JSON: 415 (rel:B2-3)', async (type) => {
  expect(statusOfRefusal(await post(draft(), { 'Content-Type': type }))).toBe(415);
});

test('any Content-Encoding gets a 415 (rel:B2-4)', async () => {
  expect(statusOfRefusal(await post(draft(), { 'Content-Encoding': 'gzip' }))).toBe(415);
  expect(statusOfRefusal(await post(draft(), { 'Content-Encoding': 'identity' }))).toBe(415);
});

test('2 MB are accepted; one byte more gets a 413, plain and chunked (rel:B2-4)', async () => {
  const frame = draft({ filler: '' });
  const filled = (size: number) => draft({ filler: 'x'.repeat(size - frame.length) });
  const chunked = (body: string) =>
    `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;

  expect((await post(filled(2_097_152))).status).toBe(201);
  expect(statusOfRefusal(await post(filled(2_097_153)))).toBe(413);
  expect(
    statusOfRefusal(await post(chunked(filled(2_097_153)), { 'Transfer-Encoding': 'chunked' })),
  ).toBe(413);
});

test('a request with two faults is rejected by the earlier check: 401, 413, 415, 400 (decisions 2)', async () => {
  const huge = 'x'.repeat(2_097_153);

  expect(statusOfRefusal(await post(huge, { Authorization: 'Bearer nonsense' }))).toBe(401);
  expect(statusOfRefusal(await post(huge, { 'Content-Type': 'text/plain' }))).toBe(413);
  expect(statusOfRefusal(await post('nonsense', { 'Content-Type': 'text/plain' }))).toBe(415);
});

test.for([
  ['both lengths', { 'Content-Length': '5', 'Transfer-Encoding': 'chunked' }],
  ['an unknown coding', { 'Transfer-Encoding': 'xchunked' }],
] as const)(
  'invalid framing (%s) gets only one response, a 400, and smuggles nothing (rel:B2-5)',
  async ([, headers]) => {
    const answer = await post('0\r\n\r\nGET /health HTTP/1.1\r\nHost: a\r\n\r\n', headers);

    expect(answer.status).toBe(400);
    expect(answer.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  },
);

test('fields that clients may not set are ignored (rel:B2-30)', async () => {
  const fields = {
    id: '0190aaaa-0000-7000-8000-000000000001',
    secret: 'sk_mine',
    owner_id: 'x',
    created_at: '2000-01-01T00:00:00Z',
    last_used_at: '2000-01-01T00:00:00Z',
    role: 'owner',
    verified: true,
    plan: 'enterprise',
  };

  const { status, body } = await post(draft(fields));

  expect(status).toBe(201);
  const created = JSON.parse(body) as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields)) expect(created[name]).not.toBe(value);
  expect(created['last_used_at']).toBeNull();
});

test('a malformed and an unknown id in the path both get a 404 (rel:B2-10)', async () => {
  const ids = [
    "x'; DROP TABLE api_key--",
    'x'.repeat(200),
    'x'.repeat(10_000),
    crypto.randomUUID(),
  ];
  for (const id of ids) {
    const path = `/api/keys/${encodeURIComponent(id)}`;
    const { status } = await ada.person.ask({ path, headers: ada.bearer });
    expect([id, status]).toEqual([id, 404]);
  }
});

test.each([
  ['that is JSON', 415, 'unsupported_media_type', '{}', 'application/json'],
  ['with a field twice', 400, 'invalid_body', 'RelayState=a&RelayState=b'],
  [
    'with many fields',
    400,
    'invalid_body',
    Array.from({ length: 21 }, (_, n) => `f${n}=`).join('&'),
  ],
  ['that is not UTF-8', 400, 'invalid_body', Buffer.from([0x61, 0x3d, 0xc3, 0x28])],
  ['that is too large', 413, 'body_too_large', `SAMLResponse=${'A'.repeat(400_000)}`],
])(
  'a form %s gets a %i',
  async (_title, status, code, body, type = 'application/x-www-form-urlencoded') => {
    const path = `/api/auth/sso/${crypto.randomUUID()}/acs`;
    const headers = { 'content-type': type };
    const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body });

    expect([answer.status, ((await answer.json()) as Errors).errors[0]?.code]).toEqual([
      status,
      code,
    ]);
  },
);
