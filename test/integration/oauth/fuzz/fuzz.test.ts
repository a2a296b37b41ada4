import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOAuthPeer, insertClient, REDIRECT } from '../../../support/people/oauth.ts';
import type { OAuthPeer, TestClient } from '../../../support/people/oauth.ts';
import { requireDeclared } from '../../../support/people/declared-answers.ts';
import { oneAddress, signUp } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { sendRaw } from '../../../support/servers/raw-request.ts';
import type { RawAnswer } from '../../../support/servers/raw-request.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import type { World } from '../../../support/worlds/world.ts';
import { startChildGateway } from '../../attack/child-gateway.ts';
import type { ChildGateway } from '../../attack/child-gateway.ts';
import { checkProperty, scaledTimeout } from '../../properties/trials.ts';
import { anyRequest, bytesOf } from './requests.ts';
import type { FuzzedRequest, Targets } from './requests.ts';

let world: World;
let gateway: ChildGateway;
let peer: OAuthPeer;
let ada: SignedUp;
let app: TestClient;
let robot: TestClient;
beforeAll(async () => {
  world = await createWorld(oneAddress);
  const { config } = await world.gateway();
  gateway = await startChildGateway(world, { LOG_LEVEL: 'error' });
  peer = createOAuthPeer({ url: gateway.url, config });
  ada = await signUp(world, gateway);
  const owner = { account_id: ada.account_id };
  app = await insertClient(world, { owner });
  robot = await insertClient(world, { owner, type: 'confidential' });
});
afterAll(async () => {
  await gateway?.stop();
  await world?.close();
});

/** Requests that succeed, as a start for others. */
async function findTargets(): Promise<Targets> {
  const authorizations: Targets['authorizations'][number][] = [];
  while (authorizations.length < 20) authorizations.push(await peer.start(app));
  const { body } = await peer.exchange(app, await peer.authorize(app, ada));
  const grant = await peer.authorize(robot, ada);
  const refresh = { grant_type: 'refresh_token', refresh_token: body['refresh_token']! };
  const code = { grant_type: 'authorization_code', redirect_uri: REDIRECT, ...grant };
  const revoke = { ...peer.identify(app), token: body['refresh_token']! };
  const page = { account: ada.account_id, scope: 'mcp_tools' };
  const challenge = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
  const authorize = { response_type: 'code', redirect_uri: REDIRECT, state: 's', ...challenge };
  return {
    authorizations,
    session: [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    valid: {
      '/oauth/authorize': [
        { ...authorize, client_id: app.id },
        {
          ...authorize,
          client_id: robot.id,
          scope: 'mcp_tools',
          resource: `${oneAddress.PUBLIC_URL}/mcp`,
        },
      ],
      '/oauth/token': [
        { ...peer.identify(app), ...refresh },
        { ...peer.identify(robot), ...code },
        { ...peer.identify(robot), grant_type: 'client_credentials' },
      ],
      '/oauth/revoke': [revoke],
      '/oauth/consent/{uid}': [
        { ...page, action: 'allow' },
        { action: 'sign_in', email: ada.email, password: 'not the password' },
      ],
    },
  };
}

const TRIES = 10;

/** Sends a request; repeats it after a 503, with which a busy machine asks for that. */
async function send(request: FuzzedRequest): Promise<RawAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await sendRaw(gateway.url, bytesOf(request));
    if (answer.status !== 503 || tries === TRIES) return answer;
    await setTimeout(300);
  }
}

/** The error codes of RFC 6749, RFC 8707 and RFC 7009, by endpoint and status. */
const TOKEN_ERRORS: Readonly<Record<number, readonly string[]>> = {
  400: [
    ...['invalid_request', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type'],
    ...['invalid_scope', 'invalid_target', 'unsupported_token_type'],
  ],
  401: ['invalid_client'],
  413: ['invalid_request'],
  415: ['invalid_request'],
};

/** Errors that an authorization request is answered with at the client. */
const REDIRECTED = [
  ...['invalid_request', 'unauthorized_client', 'access_denied', 'unsupported_response_type'],
  ...['unsupported_response_mode', 'invalid_scope', 'invalid_target', 'login_required'],
  ...['request_not_supported', 'request_uri_not_supported', 'registration_not_supported'],
];

const pageStatuses = [200, 303, 400, 401, 403, 404, 413, 415, 422, 429];
/** Of requests that no route sees: broken ones, and those that no route serves. */
const isOfHttp = ({ status, body }: RawAnswer) =>
  [400, 403, 404, 405, 414, 415, 431].includes(status) && /^\{"errors":\[\{"code":"\w+"/.test(body);

/** Throws unless an answer is documented. */
async function requireDocumented(request: FuzzedRequest, answer: RawAnswer): Promise<void> {
  const { status, headers, body } = answer;
  const { method, path } = request;
  const isToken = path === '/oauth/token' || path === '/oauth/revoke';
  if (method === 'HEAD' || method === 'OPTIONS') {
    expect([200, 204, 303, 400, 401, 403, 404, 405, 415]).toContain(status);
    return;
  }
  if (isOfHttp(answer) && !(isToken && method === 'POST')) return;
  if (isToken) {
    if (status === 200) return;
    expect(TOKEN_ERRORS[status]).toContain((JSON.parse(body) as { error: string }).error);
  } else if (path.startsWith('/oauth/authorize')) {
    expect([303, 400]).toContain(status);
    const location = /^location: (.*)$/im.exec(headers)?.[1];
    if (status === 303) requireDocumentedRedirect(location!);
    else expect(body).toMatch(/^<!doctype html>/i);
  } else if (/\/(?:request|decision)$/.test(path))
    await requireDeclared(gateway.url, { method, path, status, text: body });
  else if (path.startsWith('/oauth/consent/')) expect(pageStatuses).toContain(status);
  else expect(status).toBe(200);
}

function requireDocumentedRedirect(location: string): void {
  if (/^\/oauth\/consent\/[\w-]+$/.test(location)) return;
  expect(location.startsWith(REDIRECT)).toBe(true);
  const { searchParams, hash } = new URL(location);
  const params = hash === '' ? searchParams : new URLSearchParams(hash.slice(1));
  // A request that was allowed has a code.
  if (!params.has('code')) expect(REDIRECTED).toContain(params.get('error'));
}

test(
  'whatever is sent, each endpoint answers as documented and the process stays (rel:S14)',
  async () => {
    const targets = await findTargets();
    await checkProperty(
      3_000,
      fc.asyncProperty(anyRequest(targets), async (request) => {
        const answer = await send(request);
        await requireDocumented(request, answer);
        expect(answer.text).not.toMatch(/node_modules|postgres|SELECT |\n {4}at |: undefined\r/);
        expect(gateway.exit()).toBeNull();
      }),
    );

    expect(gateway.output()).toBe('');
    const tokens = await peer.exchange(app, await peer.authorize(app, ada));
    expect(tokens.status).toBe(200);
  },
  scaledTimeout(90_000),
);

test('a resumed authorization request ignores parameters, and needs its cookies', async () => {
  const { uid } = await peer.start(app);
  const target = `/oauth/authorize/${uid}?client_id=${app.id}&redirect_uri=x`;
  const head = 'host: localhost:7070\r\nconnection: close\r\n\r\n';

  const { status, body } = await sendRaw(gateway.url, `GET ${target} HTTP/1.1\r\n${head}`);

  expect([status, body.slice(0, 15)]).toEqual([400, '<!doctype html>']);
});

const LIMIT = 65_536;
test.each([
  ['/oauth/token', LIMIT, 400],
  ['/oauth/token', LIMIT + 1, 413],
  ['/oauth/revoke', LIMIT, 400],
  ['/oauth/revoke', LIMIT + 1, 413],
  ['/oauth/consent/x', LIMIT, 404],
  ['/oauth/consent/x', LIMIT + 1, 413],
])('%s answers a body of %i bytes with %i', async (path, size, status) => {
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: oneAddress.PUBLIC_URL },
    body: 'a=b&'.repeat(size).slice(0, size),
  });
  expect(answer.status).toBe(status);
  await answer.body?.cancel();
});
