import { expect, test } from 'vitest';
import { signUp } from '../../support/people/people.ts';
import { sendRaw } from '../../support/servers/raw-request.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);

const smuggled = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';
const body = '{"name":"framing","mcp_capabilities":[]}';

/** Sends a request to create a key with these header lines, one of which may be malformed. */
async function post(lines: string[], text: string, authorized = true) {
  const head = [
    'POST /api/keys HTTP/1.1',
    'Host: localhost',
    ...(authorized ? [`Authorization: Bearer ${ada.access_token}`] : []),
    ...lines,
  ];
  const answer = await sendRaw(gateway.url, `${head.join('\r\n')}\r\n\r\n${text}`, 1_000);
  return { ...answer, answers: answer.text.match(/HTTP\/1\.1 \d{3}/g)?.length };
}

const JSON_TYPE = 'Content-Type: application/json';

test.each<[string, string[], string]>([
  [
    'two lengths that are equal',
    [JSON_TYPE, `Content-Length: ${body.length}`, `Content-Length: ${body.length}`],
    body,
  ],
  [
    'two lengths that differ',
    [JSON_TYPE, `Content-Length: ${body.length}`, 'Content-Length: 0'],
    `${body}${smuggled}`,
  ],
  ['a signed length', [JSON_TYPE, `Content-Length: +${body.length}`], `${body}${smuggled}`],
  ['a bare LF', [`${JSON_TYPE}\nX-A: b`, `Content-Length: ${body.length}`], body],
  ['a space before a colon', [JSON_TYPE, `Content-Length : ${body.length}`], body],
  ['a folded line', [JSON_TYPE, 'X-A: b\r\n c', `Content-Length: ${body.length}`], body],
  [
    'the coding chunked twice',
    [JSON_TYPE, 'Transfer-Encoding: chunked, chunked'],
    `0\r\n\r\n${smuggled}`,
  ],
  ['the coding identity', [JSON_TYPE, 'Transfer-Encoding: identity'], `0\r\n\r\n${smuggled}`],
  ['a chunk with a bare LF', [JSON_TYPE, 'Transfer-Encoding: chunked'], `5;a\n{"a":\r\n0\r\n\r\n`],
  ['an invalid chunk size', [JSON_TYPE, 'Transfer-Encoding: chunked'], 'zz\r\n'],
])(
  '%s: only one response, a 400 in the envelope, so nothing is smuggled (rel:B2-5)',
  async (_, lines, text) => {
    const answer = await post(lines, text);

    expect([answer.status, answer.answers]).toEqual([400, 1]);
    expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ detail: null }] });
    expect(answer.headers).toContain('x-content-type-options: nosniff');
  },
);

test.each<[string, string, boolean, number]>([
  ['401', JSON_TYPE, false, 401],
  ['415', 'Content-Type: text/plain', true, 415],
])(
  'the body of a request refused with %s is not read as the next request (rel:B2-5)',
  async (_, type, authorized, status) => {
    const lines = [type, `Content-Length: ${smuggled.length}`];
    const answer = await post(lines, smuggled, authorized);

    expect([answer.status, answer.answers]).toEqual([status, 1]);
  },
);

test('a credential in the trailers of a body is ignored (rel:B1-9)', async () => {
  const text = `2\r\n{}\r\n0\r\nAuthorization: Bearer ${ada.access_token}\r\n\r\n`;
  const answer = await post([JSON_TYPE, 'Transfer-Encoding: chunked'], text, false);

  expect(answer.status).toBe(401);
});

test('an unknown expectation is refused with JSON and security headers (decisions 2)', async () => {
  const lines = [JSON_TYPE, 'Expect: nonsense', `Content-Length: ${body.length}`];
  const answer = await post(lines, body);

  expect(answer.headers.toLowerCase()).toContain('content-type: application/json');
  expect(answer.headers.toLowerCase()).toContain('cache-control: no-store');
  expect(answer.headers.toLowerCase()).toContain('x-frame-options: deny');
});

test.each(['/health', '/mcp', '/nowhere'])(
  '%s without a Host gets a 400 with a body and the usual security headers',
  async (path) => {
    const {
      status,
      headers,
      body: text,
    } = await sendRaw(gateway.url, `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`);

    expect(status).toBe(400);
    expect(text).toContain('Send exactly one Host header.');
    for (const name of ['x-request-id', 'cache-control', 'x-content-type-options'])
      expect(headers.toLowerCase().split(`\r\n${name}:`)).toHaveLength(2);
  },
);

test.each([
  ['/api/keys/%zz', { errors: [{ code: 'bad_request' }] }],
  ['/mcp/%ff', { errors: [{ code: 'bad_request' }] }],
  ['/scim/v2/nobody/Users/%zz', { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'] }],
])(
  '%s, which cannot be decoded, is refused like any other request (rel:B1-21)',
  async (path, envelope) => {
    const ask = (host: string) =>
      sendRaw(gateway.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const refused = await ask('localhost');
    const foreign = await ask('rebound.example');

    expect([refused.status, foreign.status]).toEqual([400, 421]);
    expect(JSON.parse(refused.body)).toMatchObject(envelope);
    for (const { headers } of [refused, foreign])
      for (const name of [
        'x-request-id',
        'cache-control',
        'x-content-type-options',
        'x-frame-options',
      ])
        expect(headers.toLowerCase().split(`\r\n${name}:`)).toHaveLength(2);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain(
      'toolgate_http_request_seconds_count{route="unknown",method="GET",status="400"}',
    );
  },
);
