import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { REDIRECT, startLibrary, VERIFIER } from './library-contract.ts';

// What `src/oauth/server` relies on beyond the documentation of oidc-provider. A new version that
// fails here changed it: each message says which file must follow.

const code_challenge = createHash('sha256').update(VERIFIER).digest('base64url');
const code = { codeChallenge: code_challenge, codeChallengeMethod: 'S256', redirectUri: REDIRECT };
const exchange = { grant_type: 'authorization_code', client_id: 'public', redirect_uri: REDIRECT };
const authorization = new URLSearchParams({
  ...{ client_id: 'public', response_type: 'code', scope: 'mcp_tools offline_access' },
  ...{ redirect_uri: REDIRECT, code_challenge, code_challenge_method: 'S256' },
}).toString();

const browse = (url: string) => fetch(url, { redirect: 'manual' });

test('a client has the three methods that provider.ts replaces, with the same parameters', async () => {
  const { client, schema } = await startLibrary();
  const found = [client.compareClientSecret, client.redirectUriAllowed, schema.redirectUris];
  expect(
    found.map((method) => [typeof method, method?.length]),
    'provider.ts: compareClientSecret(secret), redirectUriAllowed(uri) or Schema redirectUris() was renamed or takes other parameters',
  ).toEqual([
    ['function', 1],
    ['function', 1],
    ['function', expect.any(Number)],
  ]);
});

test('the client secret is compared by compareClientSecret alone, awaited, with the client as this', async () => {
  const library = await startLibrary();
  const compared: unknown[] = [];
  library.client.compareClientSecret = async function compare(secret) {
    compared.push([this.clientId, secret]);
    return secret === 'right';
  };
  const send = (client_secret: string) =>
    library.post({ grant_type: 'refresh_token', client_id: 'confidential', client_secret });
  const message = 'provider.ts: secrets are no longer compared by compareClientSecret';
  expect((await send('stored as a hash')).body['error'], message).toBe('invalid_client');
  expect((await send('right')).body['error'], message).toBe('invalid_request');
  expect(compared, message).toEqual([
    ['confidential', 'stored as a hash'],
    ['confidential', 'right'],
  ]);
});

test('redirectUriAllowed alone decides about the redirect URI of an authorization', async () => {
  const library = await startLibrary();
  const asked: string[] = [];
  library.client.redirectUriAllowed = function isAllowed(uri) {
    asked.push(uri);
    return this.redirectUris.includes(REDIRECT) && uri.endsWith('/other');
  };
  const at = (uri: string) =>
    browse(`${library.url}/authorize?${authorization.replace('%2Fcb', uri)}`);
  const message = 'provider.ts: redirect URIs are no longer checked by redirectUriAllowed';
  expect((await at('%2Fcb')).status, message).toBe(400);
  expect((await at('%2Fother')).status, message).toBe(303);
  expect(asked, message).toEqual([REDIRECT, `${new URL(REDIRECT).origin}/other`]);
});

test('Schema.prototype.redirectUris is the only check of the redirect URIs of a client', async () => {
  const message = 'provider.ts: registered redirect URIs are checked elsewhere, or not at all';
  const strict = await startLibrary({ clientDefaults: { redirect_uris: ['http://localhost/cb'] } });
  const insecure = { client_id: 'x', token_endpoint_auth_method: 'none' as const };
  const create = ({ provider }: typeof strict) =>
    new (provider.Client as unknown as new (metadata: object) => { redirectUris: string[] })({
      ...insecure,
      redirect_uris: ['http://client.example/cb#x'],
    });
  expect(() => create(strict), message).toThrow();
  strict.schema.redirectUris = () => {};
  expect(create(strict).redirectUris, message).toEqual(['http://client.example/cb#x']);
});

test('a code is exchanged by reads, one consume, the claims and one upsert, in this order', async () => {
  const library = await startLibrary();
  const value = await library.issue('AuthorizationCode', code);
  const answer = await library.post({ ...exchange, code: value, code_verifier: VERIFIER });
  expect(answer.status).toBe(200);
  expect(
    library.calls,
    'adapter.ts, settle.ts: the exchange consumes or saves at another time, or something else',
  ).toEqual([
    ...['find Client', 'find AuthorizationCode', 'find Grant', 'consume AuthorizationCode'],
    ...['findAccount', 'extraTokenClaims', 'upsert RefreshToken'],
  ]);
});

test('a refresh without rotation writes nothing, and its response names the token that was sent', async () => {
  const library = await startLibrary();
  const refresh_token = await library.issue('RefreshToken');
  const seen: unknown[] = [];
  library.after.run = (ctx) => {
    const { grant_type, refresh_token: sent } = ctx.oidc.params ?? {};
    seen.push(ctx.status, grant_type, sent, ctx.path);
    (ctx.body as { refresh_token: string }).refresh_token = 'successor';
  };
  const form = { grant_type: 'refresh_token', client_id: 'public', refresh_token };
  const { status, body } = await library.post(form);
  const message = 'settle.ts: a finished refresh no longer shows its parameters and body';
  expect(seen, message).toEqual([200, 'refresh_token', refresh_token, '/token']);
  expect([status, body], message).toEqual([
    200,
    {
      ...{ access_token: expect.any(String), expires_in: expect.any(Number) },
      ...{ refresh_token: 'successor', scope: 'mcp_tools', token_type: 'Bearer' },
    },
  ]);
  expect(library.calls, 'settle.ts: a refresh without rotation writes').toEqual([
    ...['find Client', 'find RefreshToken', 'find Grant', 'findAccount', 'extraTokenClaims'],
  ]);
});

test.each(['AuthorizationCode', 'RefreshToken'] as const)(
  'a consumed %s gets invalid_grant, and its grant is destroyed',
  async (model) => {
    const library = await startLibrary();
    const value = await library.issue(model, { ...code, consumed: 1 });
    const { body } = await library.post(
      model === 'AuthorizationCode'
        ? { ...exchange, code: value, code_verifier: VERIFIER }
        : { grant_type: 'refresh_token', client_id: 'public', refresh_token: value },
    );
    const destroyed = library.calls.filter((call) => call.startsWith('destroy Grant '));
    expect(
      [body['error'], destroyed.length],
      'adapter.ts: reuse is no longer reported by destroying the grant',
    ).toEqual(['invalid_grant', 1]);
  },
);

test('a grant type that a client lacks has the error and the description that request-rules.ts looks for', async () => {
  const { post } = await startLibrary();
  const answer = await post({ grant_type: 'client_credentials', client_id: 'public' });
  expect(answer, 'request-rules.ts: nameUnauthorizedClient no longer finds this error').toEqual({
    status: 400,
    body: {
      error: 'invalid_request',
      error_description: 'requested grant type is not allowed for this client',
    },
  });
});

test('an authorization sets the cookie of its interaction, and drops offline_access', async () => {
  const library = await startLibrary();
  const scopes: unknown[] = [];
  library.after.run = (ctx) => {
    scopes.push(ctx.oidc.params?.['scope']);
  };
  const { headers } = await browse(`${library.url}/authorize?${authorization}`);
  const names = headers.getSetCookie().map((cookie) => cookie.split('=')[0]!);
  expect(names, 'interactions.ts: the cookie of an interaction was renamed').toContain(
    '_interaction',
  );
  expect(scopes, 'request-rules.ts: offline_access is no longer dropped').toEqual(['mcp_tools']);
});

test('an error of the adapter is reported as server_error, with status 500, before our middleware goes on', async () => {
  const library = await startLibrary({}, (model) => {
    if (model === 'RefreshToken') throw new Error('database lost');
  });
  const events: string[] = [];
  library.provider.on('server_error', (_ctx, error) => {
    events.push(error.message);
  });
  library.after.run = (ctx) => {
    events.push(`answered ${ctx.status}`);
  };
  const { status } = await library.post({
    ...{ grant_type: 'refresh_token', client_id: 'public', refresh_token: 'x' },
  });
  expect(
    [status, events],
    'provider.ts: a failure is no longer known when the library has answered',
  ).toEqual([500, ['database lost', 'answered 500']]);
});
