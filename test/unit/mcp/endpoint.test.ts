import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { envelope, startEndpoint } from './endpoint.ts';

const httpError = (code: string) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32000, message: expect.any(String), data: { code } },
});

/** Sends a raw request that fetch would refuse or repair. */
function send(
  url: string,
  { method = 'POST', headers, body }: { method?: string; headers: string[]; body?: string },
): Promise<{ status: number; headers: Record<string, unknown>; body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, setHost: false, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => void (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: text === '' ? null : JSON.parse(text),
        }),
      );
    });
    sent.on('error', reject).end(body);
  });
}

const list = JSON.stringify({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/list',
  params: { _meta: envelope },
});
const base: Record<string, string> = {
  host: 'localhost:4200',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'x-api-key': 'good',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/list',
};
const headersWith = (changes: Record<string, string | string[] | null>) =>
  Object.entries({ ...base, ...changes }).flatMap(([name, value]) => {
    if (value === null) return [];
    return [value].flat().flatMap((one) => [name, one]);
  });

describe('the checks of /mcp', () => {
  const nested = '['.repeat(33) + ']'.repeat(33);
  // Each case also has all faults of the cases below it, so the table defines the order.
  const ladder: [string, number, unknown, Record<string, string | string[] | null>, object][] = [
    [
      'a foreign host on loopback',
      421,
      httpError('host_not_allowed'),
      { host: 'evil.example' },
      {},
    ],
    ['a repeated header', 400, httpError('repeated_header'), { 'mcp-method': ['a', 'b'] }, {}],
    [
      'a foreign origin',
      403,
      httpError('origin_not_allowed'),
      { origin: 'https://evil.example' },
      {},
    ],
    ['an unknown method', 405, httpError('method_not_allowed'), {}, { method: 'PUT' }],
    ['no credential', 401, httpError('invalid_credential'), { 'x-api-key': null }, {}],
    ['a body over 2 MB', 413, httpError('body_too_large'), {}, { body: 'x'.repeat(2_097_153) }],
    [
      'an unsupported media type',
      415,
      httpError('unsupported_media_type'),
      { 'content-type': 'text/plain' },
      {},
    ],
    [
      'an unsupported Accept header',
      406,
      httpError('not_acceptable'),
      { accept: 'application/json' },
      {},
    ],
    [
      'a body refused by the gate',
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
      {},
      { body: nested },
    ],
  ];

  test.each(ladder.map((row, index) => [row[0], index] as const))(
    'report %s before all later faults',
    async (_name, index) => {
      const { url } = await startEndpoint();
      const faults = ladder.slice(index).toReversed();
      const headers = Object.assign({}, ...faults.map((fault) => fault[3])) as Record<
        string,
        string
      >;
      const overrides = Object.assign({}, ...faults.map((fault) => fault[4])) as {
        method?: string;
        body?: string;
      };

      const { status, body } = await send(url, {
        headers: headersWith(headers),
        body: list,
        ...overrides,
      });

      expect([status, body]).toEqual([ladder[index]![1], ladder[index]![2]]);
    },
  );

  test.each([
    ['no host', headersWith({ host: null }), 400],
    ['two hosts', headersWith({ host: ['localhost', 'localhost'] }), 400],
    ['an encoding', headersWith({ 'content-encoding': 'identity' }), 415],
  ])('refuse %s (rel:B1-20, B2-4)', async (_name, headers, expected) => {
    const { url } = await startEndpoint();

    expect((await send(url, { headers, body: list })).status).toBe(expected);
  });

  test.each([
    ['{', -32700],
    ['\ufeff{}', -32700],
    ['{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', -32600],
    ['5', -32600],
    ['{}', -32600],
  ])('%j is refused with HTTP 400 and %i (rel:B3-4)', async (body, code) => {
    const { url } = await startEndpoint();
    const answer = await send(url, { headers: headersWith({}), body });

    expect([answer.status, (answer.body as { error: { code: number } }).error.code]).toEqual([
      400,
      code,
    ]);
  });

  test('an unknown HTTP method is refused with the allowed ones (rel:B1-23, B3-28)', async () => {
    const { url } = await startEndpoint();
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'TRACE']) {
      const { status, headers } = await send(url, { method, headers: headersWith({}) });

      expect([status, headers['allow']]).toEqual([405, 'POST, GET, DELETE']);
    }
  });

  test.each(['GET', 'DELETE'])(
    '%s exists in protocol version 2025 only: no body, no 2026 version header',
    async (method) => {
      const { url } = await startEndpoint();
      const legacy = { 'mcp-protocol-version': null, accept: 'text/event-stream' };
      const withBody = { ...legacy, 'content-length': '2' };

      expect((await send(url, { method, headers: headersWith(withBody), body: '{}' })).status).toBe(
        400,
      );
      expect((await send(url, { method, headers: headersWith({ accept: '*/*' }) })).status).toBe(
        405,
      );
      expect((await send(url, { method, headers: headersWith(legacy) })).status).toBe(418);
    },
  );

  test('a preflight of an allowed origin passes without a credential, any other is refused', async () => {
    const { url } = await startEndpoint();
    const preflight = (origin: string) =>
      send(url, {
        method: 'OPTIONS',
        headers: [
          'host',
          'localhost',
          'origin',
          origin,
          'access-control-request-headers',
          'x-api-key',
        ],
      });

    const allowed = await preflight('http://localhost:6274');
    const foreign = await preflight('https://evil.example');

    expect(allowed.status).toBe(204);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:6274',
      'access-control-allow-headers': 'x-api-key',
    });
    expect(foreign.status).toBe(403);
    expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('the challenge of a 401', () => {
  const metadata = 'http://localhost:4200/.well-known/oauth-protected-resource/mcp';
  const scope = 'scope="mcp_tools mcp_resources mcp_prompts mcp_agents"';
  const bearer = `Bearer resource_metadata="${metadata}", ${scope}`;
  const key = 'ApiKey realm="toolgate"';
  test.each([
    ['without a credential', metadata, {}, bearer],
    [
      'with a bad token',
      metadata,
      { authorization: 'Bearer x' },
      `${bearer}, error="invalid_token"`,
    ],
    ['with a bad key', metadata, { 'x-api-key': 'bad' }, key],
    ['without a credential and without OAuth', null, {}, key],
    ['with a bad token and without OAuth', null, { authorization: 'Bearer x' }, key],
  ])('%s (rel:B1-1)', async (_name, resource_metadata, extraHeaders, challenge) => {
    const { url } = await startEndpoint({ resource_metadata });
    const headers = headersWith({ 'x-api-key': null, ...extraHeaders });

    const answer = await send(url, { headers, body: list });

    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, challenge]);
  });

  test('a caller without the right to connect gets 404 (A6)', async () => {
    const { url } = await startEndpoint({ connected: false });
    const answer = await send(url, { headers: headersWith({}), body: list });

    expect([answer.status, answer.body]).toEqual([404, httpError('not_found')]);
  });

  test('a key revoked between its authentication and its decision gets 401 (rel:B1-3)', async () => {
    const { url } = await startEndpoint({ connected: false });
    const headers = headersWith({ 'x-api-key': 'revoked meanwhile' });
    const answer = await send(url, { headers, body: list });

    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      'ApiKey realm="toolgate"',
    ]);
  });

  test('an outage during authentication causes 503 with Retry-After, never 401', async () => {
    const { url } = await startEndpoint();
    const answer = await send(url, { headers: headersWith({ 'x-api-key': 'away' }), body: list });

    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.body).toMatchObject({
      error: { code: -32603, message: 'Temporarily unavailable. Try again shortly.' },
    });
    expect((answer.body as { error: object }).error).not.toHaveProperty('data');
    expect(answer.headers['www-authenticate']).toBeUndefined();
  });
});

describe('messages that need no authorization send nothing to OpenFGA', () => {
  const legacy = { 'mcp-protocol-version': '2025-06-18', 'mcp-method': null };
  const message = (method: string, id?: number) =>
    JSON.stringify({ jsonrpc: '2.0', method, ...(id === undefined ? {} : { id }) });
  const cases: [string, string, string | undefined, number][] = [
    ['a ping', 'POST', message('ping', 1), 0],
    ['a notification', 'POST', message('notifications/initialized'), 0],
    ['a cancellation', 'POST', message('notifications/cancelled'), 0],
    ['a client response', 'POST', '{"jsonrpc":"2.0","id":1,"result":{}}', 0],
    ['ending a session', 'DELETE', undefined, 0],
    ['a list', 'POST', message('tools/list', 1), 1],
    ['the stream of a session', 'GET', undefined, 1],
  ];

  test.each(cases)(
    '%s: %s %s reads the authorization context %i times',
    async (_what, method, body, reads) => {
      const endpoint = await startEndpoint();
      const bare = body === undefined ? { 'content-type': null } : {};
      const accept = method === 'GET' ? { accept: 'text/event-stream' } : {};
      const headers = headersWith({ ...legacy, ...bare, ...accept });

      const { status } = await send(endpoint.url, {
        ...{ method, headers },
        ...(body === undefined ? {} : { body }),
      });

      // The status of the stub that stands in for the 2025 protocol handler.
      expect(status).toBe(418);
      expect(endpoint.contextReads()).toBe(reads);
    },
  );

  test('a ping is handled while OpenFGA is unavailable, and for a caller that may not connect', async () => {
    for (const inputs of [{ capabilities: 'unavailable' as const }, { connected: false }]) {
      const endpoint = await startEndpoint(inputs);
      const headers = headersWith(legacy);
      const ping = await send(endpoint.url, { headers, body: message('ping', 1) });
      expect(ping.status).toBe(418);
    }
  });
});
