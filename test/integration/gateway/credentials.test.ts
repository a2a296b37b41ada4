import { expect, test } from 'vitest';
import { createKey, signUp } from '../../support/people/people.ts';
import { sendRaw } from '../../support/servers/raw-request.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const PERSONAL = '/api/me/tools/scopable';
const INTERACTIVE = '/api/keys';
const personal = (...permissions: string[]) => [{ scope: { type: 'personal' }, permissions }];

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);
const validKey = await createKey(ada, {
  grants: personal('can_view_tools'),
});
const revokedKey = await createKey(ada, { grants: personal('can_view_tools') });
await ada.person.ask({
  method: 'DELETE',
  path: `/api/keys/${revokedKey.id}`,
  headers: ada.bearer,
});
const revokedSecret = revokedKey.secret;
const old = await createKey(ada, { grants: personal('can_view_tools') });
await world.query("UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [
  old.id,
]);
const expiredSecret = old.secret;

type Errors = { errors?: { code: string; message: string; detail: unknown }[] };

async function ask(path: string, headers: Record<string, string>) {
  const answer = await ada.person.ask<Errors>({ path, headers });
  return { ...answer, code: answer.body?.errors?.[0]?.code };
}

/** Sends raw header lines, so that one may be repeated or contain what fetch refuses. */
async function askRaw(path: string, ...lines: string[]) {
  const head = [`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines];
  const answer = await sendRaw(gateway.url, `${head.join('\r\n')}\r\n\r\n`);
  const body = answer.body === '' ? undefined : (JSON.parse(answer.body) as Errors);
  return { ...answer, ...body?.errors?.[0] };
}

test('a request without a credential gets a 401 in the error envelope, with no-store (rel:B1-1)', async () => {
  const { status, code, headers } = await ask(PERSONAL, {});

  expect([status, code]).toEqual([401, 'authentication_required']);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
});

test('without a credential, each endpoint names only the credentials it accepts', async () => {
  const messageOf = async (path: string, method = 'GET') => {
    const response = await fetch(`${gateway.url}${path}`, { method });
    const { errors, error } = (await response.json()) as Errors & { error?: { message: string } };
    return [response.status, errors?.[0]?.message ?? error?.message];
  };

  expect(await messageOf(PERSONAL)).toEqual([
    401,
    'Sign in, or send an API key in an X-API-Key header or an OAuth access token in an Authorization header: `Bearer …`.',
  ]);
  expect(await messageOf('/api/auth/sessions')).toEqual([
    401,
    'Sign in first: this requires a signed-in session.',
  ]);
  expect(await messageOf('/mcp', 'POST')).toEqual([
    401,
    'Send an API key in an X-API-Key header, or an OAuth access token in an Authorization header: `Bearer …`.',
  ]);
});

test('an API key sent as a bearer token gets a 401 that names its header, valid or not (rel:B1-5)', async () => {
  const bodies = await Promise.all(
    [validKey.secret, 'sk_unknown'].flatMap((secret) =>
      [PERSONAL, '/mcp'].map(async (path) => {
        const method = path === '/mcp' ? 'POST' : 'GET';
        const headers = { authorization: `Bearer ${secret}` };
        const refused = await fetch(`${gateway.url}${path}`, { method, headers });
        return [path, refused.status, await refused.text()];
      }),
    ),
  );

  for (const [, status, text] of bodies) {
    expect(status).toBe(401);
    expect(text).toContain('Send an API key in an X-API-Key header, not as a bearer token.');
  }
  expect(bodies.slice(0, 2)).toEqual(bodies.slice(2));
});

test('a valid key is accepted', async () => {
  expect((await ask(PERSONAL, { 'x-api-key': validKey.secret })).status).toBe(200);
});

test('unknown, revoked, expired and malformed keys get the same response body (rel:B1-2, B1-3)', async () => {
  const uuid = validKey.secret.slice(3);
  const secrets = [
    `sk_${crypto.randomUUID()}`,
    revokedSecret,
    expiredSecret,
    'sk_',
    uuid,
    `SK_${uuid}`,
    `sk_{${uuid}}`,
    `sk_${uuid.toUpperCase()}`,
    `sk_${uuid.replaceAll('-', '')}`,
    'x'.repeat(7_000),
  ];

  const answers = await Promise.all(
    secrets.map((secret) => ask(PERSONAL, { 'x-api-key': secret })),
  );

  for (const { status, body } of answers) {
    expect(status).toBe(401);
    expect(body).toEqual(answers[0]!.body);
  }
  expect(answers[0]!.code).toBe('invalid_credential');
});

test('an empty key is invalid; a NUL, a CR or an oversized header breaks the framing (rel:B1-2, B1-4)', async () => {
  expect(await askRaw(PERSONAL, 'X-API-Key:')).toMatchObject({ status: 401 });
  expect(await askRaw(PERSONAL, `X-API-Key: ${validKey.secret}\0`)).toMatchObject({ status: 400 });
  expect(await askRaw(PERSONAL, `X-API-Key: sk_\rx`)).toMatchObject({ status: 400 });
  expect(await askRaw(PERSONAL, `X-Long: ${'x'.repeat(20_000)}`)).toMatchObject({ status: 431 });
});

test('a key sent as Bearer and a session token sent as a key are refused (rel:B1-5, B1-6)', async () => {
  expect(await ask(PERSONAL, { authorization: `Bearer ${validKey.secret}` })).toMatchObject({
    status: 401,
    code: 'invalid_credential',
  });
  expect(await ask(PERSONAL, { 'x-api-key': ada.access_token })).toMatchObject({ status: 401 });
});

test('the scheme is Bearer in any letter case, followed by one space and a token (rel:B1-7)', async () => {
  const status = async (authorization: string) =>
    (await ask(INTERACTIVE, { authorization })).status;

  expect(await status(`bearer ${ada.access_token}`)).toBe(200);
  expect(await status(`BEARER ${ada.access_token}`)).toBe(200);
  expect((await askRaw(INTERACTIVE, `Authorization: Bearer  ${ada.access_token}`)).status).toBe(
    401,
  );
  expect(await status('Bearer')).toBe(401);
  expect(await status(`Basic ${ada.access_token}`)).toBe(401);
});

test('two credentials are refused as ambiguous, and named (rel:B1-8, B1-11)', async () => {
  const key = `X-API-Key: ${validKey.secret}`;
  const bearer = `Authorization: Bearer ${ada.access_token}`;
  const cookie = `Cookie: session=${ada.access_token}`;

  for (const [sent, ...pair] of [
    ['several X-API-Key headers', key, key],
    ['several Authorization headers', bearer, bearer],
    ['both an X-API-Key and an Authorization header', key, bearer],
    ['both an X-API-Key header and a session cookie', key, cookie],
  ] as const)
    expect(await askRaw(PERSONAL, ...pair)).toMatchObject({
      ...{ status: 401, code: 'ambiguous_credentials' },
      message: `Send exactly one credential: this request has ${sent}.`,
    });
});

test('a JWT sent together with the session cookie takes precedence (decisions 9)', async () => {
  const bearer = `Authorization: Bearer ${ada.access_token}`;

  expect((await askRaw(INTERACTIVE, bearer, 'Cookie: session=forged')).status).toBe(200);
  expect((await askRaw(INTERACTIVE, `Cookie: session=${ada.access_token}`)).status).toBe(200);
  expect((await askRaw(INTERACTIVE, 'Cookie: session=forged')).status).toBe(401);
});

test('a credential in the query is ignored (rel:B1-9)', async () => {
  expect((await ask(`${PERSONAL}?api_key=${validKey.secret}&access_token=x`, {})).status).toBe(401);
});

test('an X-API-Key on an interactive endpoint gets a 403, valid or not, with or without a session (rel:B1-12)', async () => {
  const bearer = `Authorization: Bearer ${ada.access_token}`;
  const lines = [
    [`X-API-Key: ${validKey.secret}`],
    ['X-API-Key: nonsense'],
    ['X-API-Key:'],
    [`X-API-Key: ${validKey.secret}`, bearer],
    [`X-API-Key: ${validKey.secret}`, `X-API-Key: ${validKey.secret}`],
  ];

  for (const credentialLines of lines)
    expect(await askRaw(INTERACTIVE, ...credentialLines)).toMatchObject({
      status: 403,
      code: 'interactive_only',
    });
});

test('a personal endpoint requires a personal grant, then the named permission (G6, rel:B1-14)', async () => {
  const bare = await createKey(ada, {});
  const empty = await createKey(ada, { grants: [] });
  const other = await createKey(ada, { grants: personal('can_view_prompts') });

  expect((await ask(PERSONAL, { 'x-api-key': bare.secret })).status).toBe(401);
  expect((await ask(PERSONAL, { 'x-api-key': empty.secret })).status).toBe(401);
  const refused = await ask(PERSONAL, { 'x-api-key': other.secret });
  expect([refused.status, refused.body.errors]).toEqual([
    403,
    [
      {
        code: 'permission_denied',
        message: expect.any(String),
        detail: { permission: 'can_view_tools' },
      },
    ],
  ]);
});

test('no header changes the caller or the method of a request (rel:B1-16)', async () => {
  const headers = { 'x-user-id': ada.account_id, 'x-forwarded-for': '127.0.0.1' };

  expect((await ask(INTERACTIVE, { ...headers, 'x-http-method-override': 'DELETE' })).status).toBe(
    401,
  );
});

test('a non-canonical path is a different path (rel:B1-21)', async () => {
  const paths = ['//api/keys', '/API/keys', '/api/keys;x=1', '/api/keys%2f..%2f', '/api/keys%00'];
  for (const path of paths) expect([path, (await askRaw(path)).status]).toEqual([path, 404]);
  // An empty id, and an encoded form of the same path, are checked like the canonical path.
  expect((await askRaw('/api/keys/')).status).toBe(401);
  expect((await askRaw('/api/%6beys')).status).toBe(401);
  expect((await askRaw('/api/keys/%zz')).status).toBe(400);
});

test('headers named like prototype properties, or very many headers, change nothing (rel:B1-22)', async () => {
  const many = Array.from({ length: 300 }, (_, index) => `X-H${index}: 1`);

  expect((await askRaw('/health', '__proto__: 1', 'constructor: 1')).status).toBe(200);
  expect((await askRaw('/health', ...many)).status).toBe(200);
});

test('/mcp leads clients without a valid token to OAuth, but not those with a bad key', async () => {
  const challengeFor = async (headers: Record<string, string>) => {
    const refused = await fetch(`${gateway.url}/mcp`, { method: 'POST', headers });
    expect(refused.status).toBe(401);
    return refused.headers.get('www-authenticate');
  };
  const metadata = `${gateway.config.PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`;

  const bearer = `Bearer resource_metadata="${metadata}"`;
  expect(await challengeFor({})).toContain(bearer);
  expect(await challengeFor({ authorization: 'Bearer x.y.z' })).toContain(
    `resource_metadata="${metadata}"`,
  );
  expect(await challengeFor({ 'x-api-key': 'sk_unknown' })).toBe('ApiKey realm="toolgate"');
});

test('discovery that is not offered is a JSON 404', async () => {
  const paths = ['oauth-protected-resource', 'openid-configuration'];
  const absent = await Promise.all(
    paths.map((path) => fetch(`${gateway.url}/.well-known/${path}`)),
  );

  for (const { status, headers } of absent) {
    expect(status).toBe(404);
    expect(headers.get('content-type')).toContain('json');
  }
});
