import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { signUp } from '../../support/people/people.ts';
import { startAuthorizationServer } from '../../support/upstreams/authorization-server.ts';
import { startOAuthUpstream } from '../../support/upstreams/oauth-upstream.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import {
  addUpstream,
  authorize,
  beginAt,
  connect,
  connectionOf,
} from '../upstreams/oauth/connecting.ts';

const { world, gateway } = await useGateway({ OUTBOUND_ALLOW: '127.0.0.1' });
const ada = await signUp(world, gateway);

async function start() {
  const as = await startAuthorizationServer({ registration: true });
  const mcp = await startOAuthUpstream(as);
  onTestFinished(async () => {
    await Promise.all([as.close(), mcp.close()]);
  });
  return { as, id: await addUpstream(ada, mcp.url) };
}

type Reply = (response: ServerResponse) => void;
const sends =
  (body: unknown, status = 200): Reply =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(body));

/** Lets a reply be sent to all requests with this path. */
const replyAt = (path: string, reply: Reply) => (request: IncomingMessage, to: ServerResponse) => {
  if (request.url !== path) return false;
  reply(to);
  return true;
};

const problemOf = ({ status, body }: { status: number; body: { errors?: { code: string }[] } }) => [
  status,
  body.errors?.[0]?.code,
];
const REFUSED = [422, 'upstream_authorization_failed'];

test.each<[string, object]>([
  ['a NUL in its issuer', { issuer: 'http://a\0' }],
  ['a NUL in a method', { token_endpoint_auth_methods_supported: ['none', 'a\0b'] }],
  ['half a surrogate pair', { code_challenge_methods_supported: ['S256', '\ud800'] }],
])('metadata with %s is refused, not an error of ours', async (_what, more) => {
  const { as, id } = await start();
  as.amend = (document) => ({ ...document, ...more });

  expect(problemOf(await connectionOf(ada, id).begin())).toEqual(REFUSED);
});

test('scopes that cannot be stored are left out of metadata', async () => {
  const { as, id } = await start();
  as.amend = (document) => ({ ...document, scopes_supported: ['a\0b', '\ud800'] });

  expect((await connectionOf(ada, id).begin()).status).toBe(200);
});

const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
const withDeep = (body: object) => JSON.stringify(body).replace(/\}$/, `,"deep":${deep}}`);
const sendsDeep =
  (body: object): Reply =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(withDeep(body));

test('metadata with a member that is nested too deeply is refused', async () => {
  const { as, id } = await start();
  as.amend = withDeep;

  expect(problemOf(await connectionOf(ada, id).begin())).toEqual(REFUSED);
});

test('a token response with a member that is nested too deeply is refused', async () => {
  const { as, id } = await start();
  const parameters = await authorize(as, await beginAt(ada, id), 'ada');
  as.intercept = replyAt('/token', sendsDeep({ access_token: 't', token_type: 'Bearer' }));

  expect(problemOf(await connectionOf(ada, id).complete(parameters))).toEqual(REFUSED);
});

test.each([600, 999])('metadata with the status %i is refused', async (status) => {
  const { as, id } = await start();
  as.intercept = replyAt('/.well-known/oauth-authorization-server', sends({}, status));

  expect(problemOf(await connectionOf(ada, id).begin())).toEqual(REFUSED);
});

test.each<[string, object, number?]>([
  ['a client id with a NUL', { client_id: 'a\0b' }],
  ['a secret with a line break', { client_id: 'a', client_secret: 'a\r\nb' }],
  ['a client id of a hundred kilobytes', { client_id: 'a'.repeat(100_000) }],
  ['the status 600', { client_id: 'a' }, 600],
  ['the status 205', { client_id: 'a' }, 205],
])('a registration with %s is refused', async (_what, more, status = 201) => {
  const { as, id } = await start();
  as.intercept = replyAt('/reg', sends({ client_secret_expires_at: 0, ...more }, status));

  expect(problemOf(await connectionOf(ada, id).begin())).toEqual(REFUSED);
});

test('a token response is saved without scopes that are none, and with a life that a date can have', async () => {
  const { as, id } = await start();
  const parameters = await authorize(as, await beginAt(ada, id), 'ada');
  as.intercept = replyAt(
    '/token',
    sends({ access_token: 't', token_type: 'Bearer', scope: 'a\0b ok', expires_in: 1e300 }),
  );

  const { status, body } = await connectionOf(ada, id).complete(parameters);

  expect([status, body.state, body.scopes]).toEqual([200, 'connected', ['ok']]);
});

test.each<[string, Reply]>([
  ['a token with a line break', sends({ access_token: 'a\r\nb', token_type: 'Bearer' })],
  ['a token of a hundred kilobytes', sends({ access_token: 'a'.repeat(100_000) })],
  ['no object', sends([])],
  ['the status 600', sends({ error: 'x' }, 600)],
])('a refresh that is answered with %s fails, and saves nothing', async (_what, reply) => {
  const { as, id } = await start();
  await connect(ada, { id, server: as, login: 'ada' });
  await world.query('UPDATE upstream_authorization SET expires_at = now() WHERE upstream_id = $1', [
    id,
  ]);
  as.intercept = replyAt('/token', reply);

  const refused = await connectionOf(ada, id).tools();

  expect(problemOf(refused)).toEqual([422, 'upstream_error']);
  const [row] = await world.query<{ generation: number }>(
    'SELECT generation FROM upstream_authorization WHERE upstream_id = $1 AND refresh_id IS NULL',
    [id],
  );
  expect(row?.generation).toBe(1);
});
