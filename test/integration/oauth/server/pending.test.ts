import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import type { ClientFields, TestClient } from '../../../support/people/oauth.ts';
import { askAs } from '../../../support/people/organizations.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { useTeams } from '../../../support/worlds/use-teams.ts';
import { clientsIn, edit } from '../clients/registering.ts';

const teams = await useTeams();
const peer = createOAuthPeer(teams.gateway);
const { owner, id: acme } = await teams.organization();

/** Inserts a client of the organization, and returns the path at which its owner changes it. */
async function register(fields: Partial<ClientFields> = {}) {
  const client = await insertClient(teams.world, {
    ...{ owner: { organization_id: acme }, scopes: ['mcp_tools'], ...fields },
  });
  return { client, path: `${clientsIn(acme)}/${client.id}` };
}

test.each<[string, (member: SignedUp, path: string) => Promise<unknown>]>([
  [
    'the person is removed from the organization',
    ({ account_id }) =>
      askAs(owner, { method: 'DELETE', path: `/api/organizations/${acme}/members/${account_id}` }),
  ],
  [
    'the account is deactivated',
    ({ account_id }) =>
      teams.world.query("UPDATE account SET status = 'deactivated' WHERE id = $1", [account_id]),
  ],
  [
    'the client is disabled and enabled again',
    async (_member, path) => {
      await edit(owner, path, { disabled: true });
      await edit(owner, path, { disabled: false });
    },
  ],
])('an authorization is denied if %s after the decision (rel:S14)', async (_title, change) => {
  const mia = await teams.join(acme, 'mia');
  const { client, path } = await register();
  const started = await peer.start(client);
  const decided = await peer.decide(started, mia);
  await change(mia, path);

  const { status, params } = await peer.finish(started, decided.body.to);

  expect(status).toBe(303);
  expect(params).toMatchObject({ error: 'access_denied', state: 's1' });
  expect(params['code']).toBeUndefined();
});

test('knowing the address of a consent page does not replace the cookies of its browser (rel:B5-25)', async () => {
  const eve = await teams.join(acme, 'eve');
  const { client } = await register();
  const { uid, cookie } = await peer.start(client);
  const to = `http://x/oauth/authorize/${uid}`;
  const others = await peer.start(client);
  const signature = /_interaction\.sig=([\w-]+)/.exec(others.cookie)![1];
  const unsigned = `_interaction=${uid}; _interaction_resume=${uid}`;
  const signedElsewhere = `_interaction.sig=${signature}; _interaction_resume.sig=${signature}`;
  for (const forged of [unsigned, `${unsigned}; ${signedElsewhere}`]) {
    expect((await peer.decide({ uid, cookie: forged }, eve)).status).toBe(404);
    expect((await peer.finish({ cookie: forged }, to)).status).toBe(400);
  }

  const decided = await peer.decide({ uid, cookie }, owner);
  expect(decided.status).toBe(200);
  expect((await peer.finish({ cookie: `_interaction_resume=${uid}` }, to)).status).toBe(400);
  expect((await peer.finish({ cookie }, to)).params['code']).toBeTruthy();
});

test('no code is sent to a redirect URI that was removed from the client, nor exchanged (rel:B5-2)', async () => {
  const redirect_uris = ['https://old.example/cb'];
  const remove = (path: string) => edit(owner, path, { redirect_uris: ['https://new.example/cb'] });
  const undecided = await register({ redirect_uris });
  const first = await peer.start(undecided.client);
  await remove(undecided.path);
  expect((await peer.decide(first, owner)).status).toBe(404);

  const decided = await register({ redirect_uris });
  const second = await peer.start(decided.client);
  const { body } = await peer.decide(second, owner);
  await remove(decided.path);
  const resumed = await peer.finish(second, body.to);
  expect([resumed.status, resumed.location]).toEqual([400, '']);

  const issued = await register({ redirect_uris });
  const grant = await peer.authorize(issued.client, owner);
  await remove(issued.path);
  expect(await peer.exchange(issued.client, grant)).toMatchObject({
    ...{ status: 400, body: { error: 'invalid_grant' } },
  });
});

test('a client that requires PKCE again gets nothing for what was started without a challenge', async () => {
  const none = { code_challenge: undefined, code_challenge_method: undefined };
  const relaxed = { type: 'confidential', require_pkce: false } as const;
  const requirePkce = (path: string) => edit(owner, path, { require_pkce: true });
  const exchange = (client: TestClient, code: string) =>
    peer.token(client, {
      ...{ grant_type: 'authorization_code', redirect_uri: client.redirect_uri, code },
    });
  const unchanged = await register(relaxed);
  const kept = await peer.authorize(unchanged.client, owner, none);
  expect((await exchange(unchanged.client, kept.code)).status).toBe(200);

  const decided = await register(relaxed);
  const started = await peer.start(decided.client, none);
  const { body } = await peer.decide(started, owner);
  await requirePkce(decided.path);
  const { params } = await peer.finish(started, body.to);
  expect(params).toMatchObject({ error: 'invalid_request' });
  expect(params['code']).toBeUndefined();

  const issued = await register(relaxed);
  const { code } = await peer.authorize(issued.client, owner, none);
  const proven = await peer.authorize(issued.client, owner);
  await requirePkce(issued.path);
  expect(await exchange(issued.client, code)).toMatchObject({
    ...{ status: 400, body: { error: 'invalid_grant' } },
  });
  // With a challenge, nothing changes: its refresh token works too.
  const answer = await peer.exchange(issued.client, proven);
  expect(answer.status).toBe(200);
  const again = await peer.refresh(issued.client, answer.body['refresh_token']!);
  expect(again.status).toBe(200);
});
