import { expect, onTestFinished, test } from 'vitest';
import { at } from '../../../support/people/organizations.ts';
import { createKey, oneAddress, signUp } from '../../../support/people/people.ts';
import { startAuthorizationServer } from '../../../support/upstreams/authorization-server.ts';
import { startOAuthUpstream } from '../../../support/upstreams/oauth-upstream.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { addUpstream, callWith, connect, connectionOf, offer } from './connecting.ts';

const { world, gateway } = await useGateway({
  ...{ OUTBOUND_ALLOW: '127.0.0.1', ...oneAddress },
  PLANS_FILE: new URL('../../../support/worlds/generous-plans.json', import.meta.url).pathname,
});
const second = await world.gateway();
const server = await closeAfterTests(startAuthorizationServer({ registration: true }));
const upstream = await closeAfterTests(startOAuthUpstream(server));
const ada = await signUp(world, gateway);
const { secret } = await createKey(ada);
const gateways = [gateway, second];

/** Connects an account at a new upstream, with a tool; `call` calls it at a gateway. */
async function connected() {
  const id = await addUpstream(ada, upstream.url);
  await connect(ada, { id, server, login: 'ada' });
  const { name } = await offer(ada, id);
  return {
    id,
    call: (on = gateway) => callWith(on.url, secret, name),
    /** Sets when the token expires, in seconds from now. */
    expiresIn: (seconds: number) =>
      world.query(
        'UPDATE upstream_authorization SET expires_at = now() + make_interval(secs => $2) WHERE upstream_id = $1',
        [id, seconds],
      ),
    async state() {
      return (await connectionOf(ada, id).get()).body.state;
    },
    async generation() {
      const [row] = await world.query<{ generation: number }>(
        'SELECT generation FROM upstream_authorization WHERE upstream_id = $1',
        [id],
      );
      return row?.generation;
    },
  };
}

const refreshes = () => server.grants.filter((grant) => grant === 'refresh_token').length;
const codeOf = (result: { structuredContent: { error?: { code: string } } }) =>
  result.structuredContent?.error?.code ?? 'ok';

test('gateways that need a token at once send its refresh token once, and every call succeeds', async () => {
  const { call, expiresIn, state } = await connected();
  for (let round = 0; round < 20; round += 1) {
    await expiresIn(-1);
    const before = refreshes();

    const results = await Promise.all(
      [...gateways, ...gateways, ...gateways].map((on) => call(on)),
    );

    expect([results.map(codeOf), refreshes() - before]).toEqual([Array(6).fill('ok'), 1]);
  }
  expect(await state()).toBe('connected');
});

test('a token that expires soon is refreshed once, and no call waits for that', async () => {
  const { call, expiresIn, generation } = await connected();
  const held: (() => void)[] = [];
  onTestFinished(() => void (server.intercept = () => false));
  server.intercept = (request, response) => {
    if (request.url !== '/token') return false;
    held.push(() => server.resume(request, response));
    return true;
  };
  await expiresIn(30);

  expect([codeOf(await call()), codeOf(await call(second))]).toEqual(['ok', 'ok']);

  expect([held.length, await generation()]).toEqual([1, 1]);
  held[0]!();
  await expect.poll(generation).toBe(2);
  expect(codeOf(await call(second))).toBe('ok');
});

test('a refresh that is never answered ends in time, and lets others try', async () => {
  const { call, expiresIn, state } = await connected();
  onTestFinished(() => void (server.intercept = () => false));
  server.intercept = (request) => request.url === '/token';
  await expiresIn(-1);

  const result = await call();

  expect([codeOf(result), await state()]).toEqual(['upstream_error', 'connected']);
  server.intercept = () => false;
  expect(codeOf(await call(second))).toBe('ok');
});

test('a gateway that dies during a refresh is waited for, and then replaced', async () => {
  const { id, call, expiresIn } = await connected();
  await expiresIn(-1);
  await world.query(
    `UPDATE upstream_authorization SET refresh_id = gen_random_uuid(),
       refreshing_until = clock_timestamp() + interval '2 seconds' WHERE upstream_id = $1`,
    [id],
  );

  expect(codeOf(await call())).toBe('ok');
});

test('an authorization that its server ended is over, and its refresh token is not sent again', async () => {
  const { id, call, expiresIn, state } = await connected();
  // A refresh token that is used twice counts as stolen, and ends them all.
  const [row] = await world.query<{ sealed: Buffer }>(
    'SELECT sealed FROM upstream_authorization WHERE upstream_id = $1',
    [id],
  );
  await expiresIn(-1);
  await call();
  await world.query(
    'UPDATE upstream_authorization SET sealed = $2, generation = generation + 1 WHERE upstream_id = $1',
    [id, row!.sealed],
  );
  await expiresIn(-1);

  const result = await call();

  expect(result).toMatchObject({
    isError: true,
    structuredContent: {
      error: {
        code: 'upstream_authorization_required',
        details: { url: expect.stringMatching(`/app/connect-server/${id}$`) as string },
      },
    },
  });
  expect(await state()).toBe('ended');
  const before = server.grants.length;
  expect(codeOf(await call(second))).toBe('upstream_authorization_required');
  expect(server.grants).toHaveLength(before);
  await connect(ada, { id, server, login: 'ada' });
  expect([codeOf(await call()), await state()]).toEqual(['ok', 'connected']);
});

test('a token that the upstream refuses is refreshed once; if it refuses the new one, the authorization ends', async () => {
  const { call, state } = await connected();
  await call();
  const refused = new Set([upstream.seen.at(-1)!.headers.authorization]);
  let refusesAll = false;
  onTestFinished(() => void (upstream.intercept = () => false));
  upstream.intercept = (request, response) => {
    const { authorization } = request.headers;
    if (authorization === undefined || !(refusesAll || refused.has(authorization))) return false;
    response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
    return true;
  };
  const before = refreshes();

  expect([codeOf(await call()), refreshes() - before]).toEqual(['ok', 1]);
  refusesAll = true;
  expect([codeOf(await call()), await state()]).toEqual([
    'upstream_authorization_required',
    'ended',
  ]);
  expect(refreshes() - before).toBe(2);
});

test('disconnecting deletes the tokens, revokes them at their server, and ends calls at once', async () => {
  const { id, call } = await connected();
  await call();
  await call(second);
  const before = server.revoked.length;

  expect((await connectionOf(ada, id).disconnect()).status).toBe(204);

  const results = await Promise.all([call(), call(second)]);
  expect(results.map(codeOf)).toEqual(Array(2).fill('upstream_authorization_required'));
  await expect.poll(() => server.revoked.length - before).toBe(1);
  expect((await connectionOf(ada, id).disconnect()).status).toBe(204);
  const there = connectionOf(at(ada, second), id);
  expect((await there.get()).body).toMatchObject({ state: 'not_connected', account: null });
});

test('removing the upstream revokes what was connected', async () => {
  const id = await addUpstream(ada, upstream.url);
  await connect(ada, { id, server, login: 'ada' });
  const before = server.revoked.length;

  const path = `/api/me/upstreams/${id}`;
  await ada.person.ask({ method: 'DELETE', path, headers: ada.bearer });

  await expect.poll(() => server.revoked.length - before).toBe(1);
});
