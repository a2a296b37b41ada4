import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { ADMIN, askAs, MEMBER } from '../../support/people/organizations.ts';
import { startAuthorizationServer } from '../../support/upstreams/authorization-server.ts';
import { startOAuthUpstream } from '../../support/upstreams/oauth-upstream.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { addUpstream, authorize, beginAt, connectionOf } from '../upstreams/oauth/connecting.ts';

const teams = await useTeams({ OUTBOUND_ALLOW: '127.0.0.1' });
const { world } = teams;
const server = await closeAfterTests(startAuthorizationServer({ registration: true }));
const other = await closeAfterTests(startAuthorizationServer({ registration: true }));
const upstream = await closeAfterTests(startOAuthUpstream(server));
const created = await teams.organization();
const { id: organization, owner } = created;
const api = `/api/organizations/${organization}`;

const add = (oauth: object = {}) => addUpstream(owner, upstream.url, oauth, api);
const at = (id: string, who = owner) => connectionOf(who, id, api);
const codeOf = ({ body }: { body: { errors?: { code: string }[] } }) => body.errors?.[0]?.code;

function nameOther() {
  upstream.issuer = other.issuer;
  onTestFinished(() => void (upstream.issuer = server.issuer));
}

/** Runs work while the authorization server redeems a code, before it responds. */
function whileRedeeming(work: () => Promise<unknown>) {
  server.intercept = (request, response) => {
    if (request.url !== '/token') return false;
    server.intercept = () => false;
    void work().then(() => server.resume(request, response));
    return true;
  };
}

test('once another issuer is approved, nobody completes what they began at the one before', async () => {
  const id = await add();
  const parameters = await authorize(server, await beginAt(owner, id, api), 'owner');
  const before = server.grants.length;
  nameOther();
  expect((await at(id).begin()).status).toBe(409);
  expect((await at(id).approve(other.issuer)).status).toBe(200);

  const completed = await at(id).complete(parameters);

  expect([completed.status, codeOf(completed)]).toEqual([422, 'authorization_expired']);
  expect(server.grants).toHaveLength(before);
  expect((await at(id).get()).body.state).toBe('not_connected');
});

test('an issuer that is replaced while it redeems a code connects nothing', async () => {
  const id = await add();
  const parameters = await authorize(server, await beginAt(owner, id, api), 'owner');
  whileRedeeming(() => at(id).approve(other.issuer));

  const completed = await at(id).complete(parameters);

  expect(completed.status).toBe(404);
  expect((await at(id).get()).body.state).toBe('not_connected');
});

test('the client of one issuer is not used at another that is approved during the discovery', async () => {
  const id = await add({ client_id: 'ours', client_secret: 'only-for-the-first' });
  await beginAt(owner, id, api);
  nameOther();
  const held = Promise.withResolvers<ServerResponse>();
  upstream.intercept = (request, response) => {
    if (request.url !== '/.well-known/oauth-protected-resource/mcp') return false;
    held.resolve(response);
    return true;
  };
  onTestFinished(() => void (upstream.intercept = () => false));

  const beginning = at(id).begin();
  const response = await held.promise;
  expect((await at(id).approve(other.issuer)).status).toBe(200);
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ resource: upstream.url, authorization_servers: [other.issuer] }));
  const begun = await beginning;

  expect(begun.status).toBe(200);
  const { origin, searchParams } = new URL(begun.body.authorization_url);
  expect(origin).toBe(other.origin);
  expect(searchParams.get('client_id')).not.toBe('ours');
});

test('an account that a person began to connect as their own never becomes that of all', async () => {
  const id = await add({ connection: 'each_person' });
  const parameters = await authorize(server, await beginAt(owner, id, api), 'owner');
  await askAs(owner, {
    method: 'PATCH',
    path: `${api}/upstreams/${id}`,
    body: { oauth: { connection: 'shared' } },
  });

  const completed = await at(id).complete(parameters);

  expect([completed.status, codeOf(completed)]).toEqual([422, 'authorization_expired']);
  expect((await at(id).get()).body).toMatchObject({ connection: 'shared', state: 'not_connected' });
});

test('what was begun before OAuth was taken away is not completed after it returned', async () => {
  const id = await add({ connection: 'each_person' });
  const parameters = await authorize(server, await beginAt(owner, id, api), 'owner');
  for (const oauth of [null, { connection: 'shared' }])
    await askAs(owner, { method: 'PATCH', path: `${api}/upstreams/${id}`, body: { oauth } });
  await beginAt(owner, id, api);

  expect(codeOf(await at(id).complete(parameters))).toBe('authorization_expired');
});

test('who loses the permission while a code is redeemed does not connect the shared account', async () => {
  const id = await add();
  const mia = await teams.join(organization, 'mia', [ADMIN]);
  const parameters = await authorize(server, await beginAt(mia, id, api), 'mia');
  const demote = () =>
    askAs(owner, {
      method: 'PATCH',
      path: `${api}/members/${mia.account_id}`,
      body: { role_ids: [MEMBER] },
    });
  whileRedeeming(demote);

  const completed = await at(id, mia).complete(parameters);

  expect(completed.status).toBe(403);
  const rows = await world.query('SELECT FROM upstream_authorization WHERE upstream_id = $1', [id]);
  expect(rows).toEqual([]);
});
