import { describe, expect, test } from 'vitest';
import { createKey, ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { sendRaw } from '../../support/servers/raw-request.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const ada = await signUp(world, gateway);

async function send(request: string, lines: string[], body = '') {
  const head = [
    `${request} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    ...lines,
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  const answer = await sendRaw(gateway.url, `${head.join('\r\n')}\r\n\r\n${body}`, 3_000);
  return { ...answer, lower: answer.headers.toLowerCase() };
}

const JSON_TYPE = 'Content-Type: application/json';
const cookie = (who: SignedUp, name = 'session') => `Cookie: ${name}=${who.cookies.get(name)}`;
const newKey = () => JSON.stringify({ name: crypto.randomUUID(), mcp_capabilities: [] });
const ownOrigin = () => `http://localhost:${new URL(gateway.url).port}`;

describe('a state-changing request with the session cookie gets a 403', () => {
  test.each([
    'Origin: http://evil.example',
    'Origin: null',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Site: same-site',
    'Referer: http://evil.example/page',
    'Origin: http://evil.example\r\nSec-Fetch-Site: same-origin',
  ])('from %j (rel:B6-1)', async (line) => {
    const response = await send('POST /api/keys', [cookie(ada), JSON_TYPE, line], newKey());

    expect(response.status).toBe(403);
    expect(response.lower).not.toContain('access-control');
  });

  test('if one of two Origins is foreign (rel:B6-1)', async () => {
    const lines = [`Origin: ${ownOrigin()}`, 'Origin: http://evil.example'];
    const response = await send('POST /api/keys', [cookie(ada), JSON_TYPE, ...lines], newKey());

    expect([400, 403]).toContain(response.status);
  });
});

describe('endpoints without a required field', () => {
  const bodies: [string, string, string, number][] = [
    ['a form', 'Content-Type: application/x-www-form-urlencoded', 'a=b', 415],
    ['invalid JSON', JSON_TYPE, '{"a":', 400],
    ['an array', JSON_TYPE, '[]', 400],
    ['more than 2 MB', JSON_TYPE, 'x'.repeat(2_097_153), 413],
  ];
  for (const path of ['/api/auth/refresh', '/api/auth/logout'])
    test.each(bodies)(
      `${path} refuses a body that is %s (Endpoints; decisions 2; rel:B2, rel:B6-2)`,
      async (_what, type, body, status) => {
        const dan = await signUp(world, gateway, 'dan');
        const name = path.endsWith('refresh') ? 'refresh' : 'session';

        const answer = await send(`POST ${path}`, [cookie(dan, name), type], body);

        expect(answer.status).toBe(status);
        expect((await send('GET /api/keys', [cookie(dan)])).status).toBe(200);
      },
    );
});

test('a key together with a refresh cookie is refused as ambiguous (decisions 2, rel:B1-11)', async () => {
  const { secret } = await createKey(ada);
  const lines = [`X-API-Key: ${secret}`, cookie(ada, 'refresh')];
  const answer = await send('POST /api/auth/refresh', lines);

  expect([401, 403]).toContain(answer.status);
});

test("signing in with another account's cookies creates a new session (rel:B6-5)", async () => {
  const dan = await signUp(world, gateway, 'dan');
  const body = JSON.stringify({ email: dan.email, password: dan.password });
  const planted = `Cookie: session=${ada.cookies.get('session')}; refresh=${ada.cookies.get('refresh')}`;
  const answer = await send('POST /api/auth/login', [planted, JSON_TYPE], body);

  expect(answer.status).toBe(200);
  expect(answer.text).not.toContain(ada.cookies.get('refresh')!.split('.')[0]);
  const [sessions] = await world.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM account_session WHERE account_id = $1',
    [dan.account_id],
  );
  expect(sessions!.n).toBe(2);
});

describe('no page of the service can be framed (rel:B6-7)', () => {
  test.each(['/verify', '/docs/api/'])('%s has a header that forbids it', async (path) => {
    const { lower } = await send(`GET ${path}`, []);

    expect(lower).toMatch(/x-frame-options: deny|frame-ancestors 'none'/);
  });
});
