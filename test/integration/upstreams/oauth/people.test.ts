import { expect, onTestFinished, test } from 'vitest';
import { askAs, createRole, MEMBER } from '../../../support/people/organizations.ts';
import { createKey } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { startAuthorizationServer } from '../../../support/upstreams/authorization-server.ts';
import { startOAuthUpstream } from '../../../support/upstreams/oauth-upstream.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../../support/worlds/use-teams.ts';
import { addUpstream, callWith, connect, connectionOf, offer } from './connecting.ts';

const teams = await useTeams({ OUTBOUND_ALLOW: '127.0.0.1' });
const { gateway, world } = teams;
const server = await closeAfterTests(startAuthorizationServer({ registration: true }));
const upstream = await closeAfterTests(startOAuthUpstream(server));

const codeOf = (result: { structuredContent?: { error?: { code: string } } }) =>
  result.structuredContent?.error?.code ?? 'ok';

/** An organization whose upstream has a tool for everyone. */
async function organizationWith(connection: 'shared' | 'each_person') {
  const created = await teams.organization();
  const { id, owner } = created;
  const api = `/api/organizations/${id}`;
  const upstream_id = await addUpstream(owner, upstream.url, { connection }, api);
  await connect(owner, { id: upstream_id, api, server, login: 'owner' });
  const tool = await offer(owner, upstream_id, 'whoami', api);
  await askAs(owner, {
    method: 'PATCH',
    path: `${api}/custom-tools/${tool.id}`,
    body: { organization_wide: true },
  });
  const keyOf = async (who: SignedUp) => (await createKey(who, { org_scope: id })).secret;
  const { body: machine } = await askAs<{ secret: string }>(owner, {
    path: `${api}/keys`,
    body: { name: 'machine', mcp_capabilities: ['tools'] },
  });
  const { id: caller } = await createRole(owner, id, {
    ...{ name: 'Caller', permissions: [], capabilities: ['tools'] },
  });
  const join = (name: string) => teams.join(id, name, [MEMBER, caller]);
  const call = async (secret: string) => codeOf(await callWith(gateway.url, secret, tool.name));
  return { ...created, api, upstream_id, caller, join, keyOf, call, machine: machine.secret };
}

test('each person’s calls act as their own account, and a credential of the organization has none', async () => {
  const { join, owner, api, upstream_id, keyOf, call, machine } =
    await organizationWith('each_person');
  const mia = await join('mia');
  const [byOwner, byMia] = [await keyOf(owner), await keyOf(mia)];
  expect([await call(byMia), await call(machine)]).toEqual(
    Array(2).fill('upstream_authorization_required'),
  );
  expect((await connectionOf(mia, upstream_id, api).get()).body).toMatchObject({
    ...{ state: 'not_connected', may_connect: true },
  });

  await connect(mia, { id: upstream_id, api, server, login: 'mia' });
  const before = upstream.callers.length;
  for (const secret of [byMia, byOwner, byMia]) expect(await call(secret)).toBe('ok');

  const callers = upstream.callers.slice(before);
  expect(new Set(callers)).toEqual(new Set(['mia', 'owner']));
  expect(callers.filter((login) => login === 'mia').length).toBeGreaterThan(1);
  expect(await call(machine)).toBe('upstream_authorization_required');
  // Only the two people are connected, each by themselves.
  const rows = await world.query<{ holder_id: string; connected_by: string }>(
    'SELECT holder_id, connected_by FROM upstream_authorization WHERE upstream_id = $1',
    [upstream_id],
  );
  const holders = [owner, mia].map(({ account_id }) => account_id).toSorted();
  expect(rows.map(({ holder_id }) => holder_id).toSorted()).toEqual(holders);
  expect(rows.every((row) => row.holder_id === row.connected_by)).toBe(true);
});

test('people who call at once never use each other’s accounts', async () => {
  const { join, owner, api, upstream_id, keyOf } = await organizationWith('each_person');
  const tool = await offer(owner, upstream_id, 'whoami', api);
  await askAs(owner, {
    method: 'PATCH',
    path: `${api}/custom-tools/${tool.id}`,
    body: { organization_wide: true },
  });
  // The tool says whose token its request had.
  const offered = upstream.tools['whoami']!;
  const { run } = offered;
  onTestFinished(() => void (offered.run = run));
  offered.run = async (_input, { headers }) => {
    const token = String(headers['authorization']).slice(7);
    return { content: [{ type: 'text', text: `called by ${await server.loginOf(token)}` }] };
  };
  const people = await Promise.all(
    ['uma', 'ben', 'cleo'].map(async (name) => {
      const who = await join(name);
      await connect(who, { id: upstream_id, api, server, login: name });
      return { name, secret: await keyOf(who) };
    }),
  );
  const calls = Array.from({ length: 4 }, () => people).flat();

  const results = await Promise.all(
    calls.map(({ secret }) => callWith(gateway.url, secret, tool.name)),
  );

  expect(results.map((result) => JSON.stringify(result))).toEqual(
    calls.map(({ name }) => expect.stringContaining(`called by ${name}`) as string),
  );
});

test('a shared account serves every member and machine; only who may change tools connects it', async () => {
  const { join, api, upstream_id, keyOf, call, machine } = await organizationWith('shared');
  const mia = await join('mia');
  const before = upstream.callers.length;

  expect([await call(await keyOf(mia)), await call(machine)]).toEqual(['ok', 'ok']);

  expect(new Set(upstream.callers.slice(before))).toEqual(new Set(['owner']));
  const own = connectionOf(mia, upstream_id, api);
  const refused = [
    await own.begin(),
    await own.complete({ state: 's', code: 'c' }),
    await own.disconnect(),
    await own.approve('https://other.example'),
  ];
  expect(refused.map(({ status }) => status)).toEqual(Array(4).fill(403));
  expect((await own.get()).body).toMatchObject({
    ...{ state: 'connected', may_connect: false, connected_by_email: null },
  });
});

test('a member who leaves loses what they connected, also after joining again', async () => {
  const { id, join, caller, api, upstream_id, keyOf, call, owner } =
    await organizationWith('each_person');
  const mia = await join('mia');
  await connect(mia, { id: upstream_id, api, server, login: 'mia' });
  const member = `${api}/members/${mia.account_id}`;

  expect((await askAs(owner, { method: 'DELETE', path: member })).status).toBe(204);

  const rows = await world.query(
    'SELECT FROM upstream_authorization WHERE upstream_id = $1 AND account_id = $2',
    [upstream_id, mia.account_id],
  );
  expect(rows).toEqual([]);
  await teams.joins.add(id, mia, [MEMBER, caller]);
  expect(await call(await keyOf(mia))).toBe('upstream_authorization_required');
  expect(await call(await keyOf(owner))).toBe('ok');
});

test('a member who left cannot complete what they began', async () => {
  const { join, api, upstream_id, owner } = await organizationWith('each_person');
  const mia = await join('mia');
  const begun = await connectionOf(mia, upstream_id, api).begin();
  const back = await server.signIn(begun.body.authorization_url, 'mia');
  await askAs(owner, { method: 'DELETE', path: `${api}/members/${mia.account_id}` });

  const completed = await connectionOf(mia, upstream_id, api).complete(
    Object.fromEntries(back.searchParams),
  );

  expect(completed.status).toBe(404);
});

test('a team’s upstream is connected by its members, until they leave the team', async () => {
  const created = await teams.organization();
  const { id, owner, path: api, team } = created;
  const upstream_id = await addUpstream(owner, upstream.url, { connection: 'each_person' }, api);
  const [mia, joe] = [await teams.join(id, 'mia'), await teams.join(id, 'joe')];
  await created.add(owner, mia);

  const connected = await connect(mia, { id: upstream_id, api, server, login: 'mia' });

  expect(connected.state).toBe('connected');
  expect((await connectionOf(joe, upstream_id, api).begin()).status).toBe(404);
  await created.remove(owner, mia);
  const rows = await world.query('SELECT FROM upstream_authorization WHERE upstream_id = $1', [
    upstream_id,
  ]);
  expect([rows, team.name]).toEqual([[], 'red']);
});

test('changing a connection from shared to each person’s own ends the shared one', async () => {
  const { join, api, owner, upstream_id, call, keyOf } = await organizationWith('shared');
  const mia = await join('mia');

  await askAs(owner, {
    method: 'PATCH',
    path: `${api}/upstreams/${upstream_id}`,
    body: { oauth: { connection: 'each_person' } },
  });

  expect(await call(await keyOf(mia))).toBe('upstream_authorization_required');
  expect(await call(await keyOf(owner))).toBe('upstream_authorization_required');
});
