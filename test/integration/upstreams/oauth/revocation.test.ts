import { expect, test } from 'vitest';
import { askAs } from '../../../support/people/organizations.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { startAuthorizationServer } from '../../../support/upstreams/authorization-server.ts';
import { startOAuthUpstream } from '../../../support/upstreams/oauth-upstream.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../../support/worlds/use-teams.ts';
import { addUpstream, connect, connectionOf } from './connecting.ts';

const teams = await useTeams({ OUTBOUND_ALLOW: '127.0.0.1' });
const { world } = teams;
const server = await closeAfterTests(startAuthorizationServer({ registration: true }));
const upstream = await closeAfterTests(startOAuthUpstream(server));

const waiting = () =>
  world.query<{ attempts: number }>('SELECT attempts FROM upstream_revocation ORDER BY id');

/** Has the gateway revoke what is due now and not within a minute: that happens after a disconnection. */
async function revokeDue(who: SignedUp, api: string) {
  const id = await addUpstream(who, upstream.url, {}, api);
  await connect(who, { id, api, server, login: 'other' });
  const before = server.revoked.length;
  await connectionOf(who, id, api).disconnect();
  await expect.poll(() => server.revoked.length).toBeGreaterThan(before);
}

interface Joined {
  api: string;
  team: string;
  owner: SignedUp;
  mia: SignedUp;
}

/** Deletions that end what a member connected to an upstream of a team. */
const deletions: Record<string, (joined: Joined) => Promise<{ status: number }>> = {
  'a member leaves the team': ({ owner, mia, team }) =>
    askAs(owner, { method: 'DELETE', path: `${team}/members/${mia.account_id}` }),
  'a member leaves the organization': ({ owner, mia, api }) =>
    askAs(owner, { method: 'DELETE', path: `${api}/members/${mia.account_id}` }),
  'the team is deleted': ({ owner, team }) =>
    askAs(owner, {
      method: 'DELETE',
      path: team,
      body: { confirm: 'red', current_password: owner.password },
    }),
  'the person deletes their account': ({ mia }) =>
    askAs(mia, {
      method: 'DELETE',
      path: '/api/user/account',
      body: { current_password: mia.password, confirm: mia.email },
    }),
};

test.each(Object.entries(deletions))('when %s, their tokens are revoked', async (_what, remove) => {
  const created = await teams.organization();
  const { id: organization_id, owner, path: team } = created;
  const api = `/api/organizations/${organization_id}`;
  const mia = await teams.join(organization_id, 'mia');
  await created.add(owner, mia);
  const id = await addUpstream(owner, upstream.url, { connection: 'each_person' }, team);
  await connect(mia, { id, api: team, server, login: 'mia' });
  const before = server.revoked.length;

  const removed = await remove({ api, team, owner, mia });
  expect([200, 204]).toContain(removed.status);
  await revokeDue(owner, api);

  await expect.poll(() => server.revoked.length - before).toBe(2);
  await expect.poll(waiting).toEqual([]);
});

test('tokens whose server is away are revoked later, and forgotten after six attempts', async () => {
  const away = await startAuthorizationServer({ registration: true });
  const served = await closeAfterTests(startOAuthUpstream(away));
  const { id: organization_id, owner } = await teams.organization();
  const api = `/api/organizations/${organization_id}`;
  const id = await addUpstream(owner, served.url, {}, api);
  await connect(owner, { id, api, server: away, login: 'owner' });
  await away.close();

  expect((await connectionOf(owner, id, api).disconnect()).status).toBe(204);
  await expect.poll(waiting).toEqual([{ attempts: 1 }]);
  await revokeDue(owner, api);
  expect(await waiting()).toEqual([{ attempts: 1 }]);

  await world.query('UPDATE upstream_revocation SET attempts = 5, due_at = now()');
  await revokeDue(owner, api);
  await expect.poll(waiting).toEqual([]);
});

test('nothing is revoked when the change that would delete it fails', async () => {
  const { id: organization_id, owner } = await teams.organization();
  const api = `/api/organizations/${organization_id}`;
  const id = await addUpstream(owner, upstream.url, {}, api);
  await connect(owner, { id, api, server, login: 'owner' });

  const refused = await askAs(owner, {
    ...{ method: 'PATCH', path: `${api}/upstreams/${id}` },
    body: { oauth: null, url: 'http://10.0.0.1/' },
  });

  expect(refused.status).toBe(422);
  expect(await waiting()).toEqual([]);
  expect((await connectionOf(owner, id, api).get()).body.state).toBe('connected');
});
