import { expect, onTestFinished, test } from 'vitest';
import { signInAs, signUp } from '../../../support/people/people.ts';
import { startAuthorizationServer } from '../../../support/upstreams/authorization-server.ts';
import { startOAuthUpstream } from '../../../support/upstreams/oauth-upstream.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { addUpstream, authorize, beginAt, connect, connectionOf } from './connecting.ts';

const { world, gateway } = await useGateway({ OUTBOUND_ALLOW: '127.0.0.1' });
const server = await closeAfterTests(startAuthorizationServer({ registration: true }));
const other = await closeAfterTests(startAuthorizationServer({ registration: true }));
const upstream = await closeAfterTests(startOAuthUpstream(server));
const ada = await signUp(world, gateway);
const eve = await signUp(world, gateway, 'eve');
const codeOf = ({ body }: { body: { errors?: { code: string }[] } }) => body.errors?.[0]?.code;

/** Lets an upstream name another authorization server until the end of the test. */
function nameOther() {
  upstream.issuer = other.issuer;
  onTestFinished(() => void (upstream.issuer = server.issuer));
}

test('a state completes one connection: a replay is refused, and redeems nothing', async () => {
  const id = await addUpstream(ada, upstream.url);
  const parameters = await authorize(server, await beginAt(ada, id), 'ada');
  const { complete } = connectionOf(ada, id);
  expect((await complete(parameters)).status).toBe(200);
  const before = server.grants.length;

  const replayed = await complete(parameters);

  expect([replayed.status, codeOf(replayed)]).toEqual([422, 'authorization_expired']);
  expect(server.grants).toHaveLength(before);
});

test('another person, another session and another upstream cannot complete an authorization, or use it up', async () => {
  const id = await addUpstream(ada, upstream.url);
  const elsewhere = await addUpstream(ada, upstream.url);
  const ofEve = await addUpstream(eve, upstream.url);
  const parameters = await authorize(server, await beginAt(ada, id), 'ada');
  const otherSession = await signInAs(ada);

  const refused = await Promise.all([
    connectionOf(eve, ofEve).complete(parameters),
    connectionOf(eve, id).complete(parameters),
    connectionOf(otherSession, id).complete(parameters),
    connectionOf(ada, elsewhere).complete(parameters),
  ]);

  expect(refused.map(({ status }) => status)).toEqual([422, 404, 422, 422]);
  expect((await connectionOf(ada, id).complete(parameters)).body.state).toBe('connected');
});

test('an expired authorization is refused', async () => {
  const id = await addUpstream(ada, upstream.url);
  const parameters = await authorize(server, await beginAt(ada, id), 'ada');
  await world.query(`UPDATE upstream_oauth_flow SET expires_at = now() WHERE upstream_id = $1`, [
    id,
  ]);

  expect(codeOf(await connectionOf(ada, id).complete(parameters))).toBe('authorization_expired');
});

test.each<[string, (parameters: Record<string, string>) => object]>([
  ['of another issuer', (parameters) => ({ ...parameters, iss: other.issuer })],
  ['without its issuer', ({ iss: _iss, ...parameters }) => parameters],
  ['without a code', ({ code: _code, ...parameters }) => parameters],
  [
    'with an error',
    ({ code: _code, ...parameters }) => ({ ...parameters, error: 'access_denied' }),
  ],
])('a response %s is refused, and its code is not redeemed', async (_what, change) => {
  const id = await addUpstream(ada, upstream.url);
  const parameters = await authorize(server, await beginAt(ada, id), 'ada');
  const before = [server.grants.length, other.grants.length];

  const refused = await connectionOf(ada, id).complete(change(parameters));

  expect([refused.status, codeOf(refused)]).toEqual([422, 'upstream_authorization_failed']);
  expect([server.grants.length, other.grants.length]).toEqual(before);
  expect((await connectionOf(ada, id).get()).body.state).toBe('not_connected');
});

test('a code of another authorization is refused', async () => {
  const id = await addUpstream(ada, upstream.url);
  const stolen = await authorize(
    server,
    await beginAt(eve, await addUpstream(eve, upstream.url)),
    'eve',
  );
  const own = await authorize(server, await beginAt(ada, id), 'ada');

  const refused = await connectionOf(ada, id).complete({ ...own, code: stolen['code'] });

  expect(refused.status).toBe(422);
});

test('a changed issuer is refused until the owner approves it, which ends what was connected', async () => {
  const oauth = { client_id: 'given', client_secret: 'never-sent-elsewhere' };
  const id = await addUpstream(ada, upstream.url);
  const given = await addUpstream(ada, upstream.url, oauth);
  await beginAt(ada, given);
  await connect(ada, { id, server, login: 'ada' });
  nameOther();

  const refused = await connectionOf(ada, id).begin();

  expect([refused.status, refused.body.errors[0]]).toMatchObject([
    409,
    { code: 'issuer_changed', detail: { issuer: other.issuer, approved: server.issuer } },
  ]);
  expect((await connectionOf(ada, id).get()).body.state).toBe('connected');
  const approved = await connectionOf(ada, id).approve(other.issuer);
  expect([approved.status, (await connectionOf(ada, id).get()).body.state]).toEqual([
    200,
    'not_connected',
  ]);
  await connect(ada, { id, server: other, login: 'ada' });
  // The client belongs to the server before: it is not sent to the other one.
  await connectionOf(ada, given).approve(other.issuer);
  expect(new URL(await beginAt(ada, given)).searchParams.get('client_id')).not.toBe('given');
});

test('a token is sent to the address that it is for, and to no other', async () => {
  const elsewhere = await startOAuthUpstream(server);
  onTestFinished(elsewhere.close);
  const id = await addUpstream(ada, upstream.url);
  await connect(ada, { id, server, login: 'ada' });

  await ada.person.ask({
    method: 'PATCH',
    path: `/api/me/upstreams/${id}`,
    headers: ada.bearer,
    body: { url: elsewhere.url },
  });

  expect(codeOf(await connectionOf(ada, id).tools())).toBe('upstream_authorization_required');
  expect(elsewhere.callers).toEqual([]);
  expect(elsewhere.seen.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  const rows = await world.query('SELECT FROM upstream_authorization WHERE upstream_id = $1', [id]);
  expect(rows).toEqual([]);
});

test('a token whose row was moved to another holder cannot be decrypted', async () => {
  const id = await addUpstream(ada, upstream.url, { connection: 'each_person' });
  const ofEve = await addUpstream(eve, upstream.url, { connection: 'each_person' });
  await connect(ada, { id, server, login: 'ada' });
  await world.query(
    'UPDATE upstream_authorization SET holder_id = $1, upstream_id = $2 WHERE upstream_id = $3',
    [eve.account_id, ofEve, id],
  );

  expect(codeOf(await connectionOf(eve, ofEve).tools())).toBe('secret_unreadable');
});

test('tokens and clients are not part of responses, exports, files and the audit log', async () => {
  const oauth = { client_id: 'given', client_secret: 'canary-client-secret' };
  await addUpstream(ada, upstream.url, oauth);
  const id = await addUpstream(ada, upstream.url);
  await connect(ada, { id, server, login: 'ada' });
  await connectionOf(ada, id).tools();
  const tokens = upstream.seen.flatMap(({ headers }) => headers.authorization?.slice(7) ?? []);
  const read = (path: string) => ada.person.ask<object>({ path, headers: ada.bearer });

  const shown = await Promise.all([
    ...['/api/user/export', '/api/me/export', '/api/me/upstreams'].map(read),
    world.query('SELECT * FROM audit_event'),
    world.query('SELECT * FROM upstream_oauth'),
    world.query('SELECT * FROM upstream_authorization'),
  ]);

  const text = JSON.stringify(shown);
  expect(text).toContain(server.issuer);
  expect(tokens.length).toBeGreaterThan(0);
  for (const secret of ['canary-client-secret', ...tokens]) expect(text).not.toContain(secret);
});

test('the header of the token cannot be configured, and the callback keeps only known parameters', async () => {
  const { status, body } = await ada.person.ask<{ errors: { code: string }[] }>({
    path: '/api/me/upstreams',
    headers: ada.bearer,
    body: { name: 'both', url: upstream.url, oauth: {}, headers: { Authorization: 'Bearer x' } },
  });
  const callback = await fetch(
    `${gateway.url}/api/upstream-oauth/callback?state=s&code=c%26d&iss=i&evil=${'x'.repeat(20)}`,
    { redirect: 'manual' },
  );

  expect([status, body.errors[0]?.code]).toEqual([422, 'header_not_allowed']);
  expect(callback.headers.get('location')).toBe(
    `${gateway.config.DASHBOARD_URL}/app/connect-server#state=s&code=c%26d&iss=i`,
  );
});
