import { expect, test } from 'vitest';
import { createKey, signUp } from '../../../support/people/people.ts';
import { startAuthorizationServer } from '../../../support/upstreams/authorization-server.ts';
import { startOAuthUpstream } from '../../../support/upstreams/oauth-upstream.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { addUpstream, callWith, connect, connectionOf, offer } from './connecting.ts';

const { world, gateway } = await useGateway({ OUTBOUND_ALLOW: '127.0.0.1' });
const server = await closeAfterTests(startAuthorizationServer({ registration: true }));
const upstream = await closeAfterTests(startOAuthUpstream(server));
const ada = await signUp(world, gateway);

test('a person connects an account, with which tools are listed and called', async () => {
  const id = await addUpstream(ada, upstream.url);
  expect((await connectionOf(ada, id).get()).body).toMatchObject({ state: 'not_connected' });
  expect((await connectionOf(ada, id).tools()).body.errors[0]).toMatchObject({
    code: 'upstream_authorization_required',
    detail: { url: `${gateway.config.DASHBOARD_URL}/app/connect-server/${id}` },
  });

  const connected = await connect(ada, { id, server, login: 'ada-at-upstream' });

  expect(connected).toMatchObject({
    state: 'connected',
    connection: 'shared',
    scopes: ['tools:read'],
    connected_by: ada.account_id,
    connected_by_email: ada.email,
    issuer: server.issuer,
    may_connect: true,
  });
  expect((await connectionOf(ada, id).tools()).body.data.map(({ name }) => name)).toContain('echo');
  const { name } = await offer(ada, id);
  const { secret } = await createKey(ada);
  const result = await callWith(gateway.url, secret, name);
  expect(JSON.stringify(result)).toContain('[secret]');
  expect(result.isError).not.toBe(true);
  expect(new Set(upstream.callers)).toEqual(new Set(['ada-at-upstream']));
});
