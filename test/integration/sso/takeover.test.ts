import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { createOAuthPeer, insertClient } from '../../support/people/oauth.ts';
import { driftOf } from '../../support/people/organizations.ts';
import { createKey, createPerson } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import { profileOf } from '../../support/people/third-party.ts';
import { interleaved } from '../../support/worlds/interleaved.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld());

/** Creates the account of a future member through a connection that no Admin configured. */
async function createTaken() {
  const acme = await sso.organization();
  const limited = await acme.connect(await acme.addConfigurer());
  const claims = acme.someone();
  const { visitor } = await limited.signIn(claims);
  const { id: account_id } = (await profileOf(visitor)).body;
  const access_token = visitor.jar.get('session')!.value;
  const squatter: SignedUp = {
    ...{ person: visitor.person, email: claims.email, password: '', access_token, account_id },
    cookies: new Map([['session', access_token]]),
    bearer: { authorization: `Bearer ${access_token}` },
  };
  return {
    ...{ acme, squatter },
    /** The person signs in through a connection that an Admin configured. */
    async takeOver(): Promise<SignedUp> {
      const { visitor: owner, step } = await acme.signIn({ ...claims, sub: randomUUID() });
      expect(step.location).toBe(sso.home);
      expect((await profileOf(owner)).body.id).toBe(account_id);
      const token = owner.jar.get('session')!.value;
      const bearer = { authorization: `Bearer ${token}` };
      return { ...squatter, person: owner.person, access_token: token, bearer };
    },
  };
}

const readAccess = {
  grants: [{ scope: { type: 'personal' }, permissions: ['can_view_resources'] }],
};

/** Returns the status of a read with a key. */
async function statusWith({ secret }: { secret: string }): Promise<number> {
  const headers = { 'x-api-key': secret };
  return (await createPerson(sso.gateway.url).ask({ path: '/api/me/resources', headers })).status;
}

test('keys and OAuth connections that were made before an account was taken over are refused, and revoked in the background', async () => {
  const { acme, squatter, takeOver } = await createTaken();
  const key = await createKey(squatter, readAccess);
  const bound = await createKey(squatter, { org_scope: acme.id, mcp_capabilities: [] });
  const scopes = ['read:organization_members'];
  const client = await insertClient(sso.world, { owner: { organization_id: acme.id }, scopes });
  const oauth = createOAuthPeer(sso.gateway);
  const { body: tokens } = await oauth.exchange(client, await oauth.authorize(client, squatter));
  const headers = { authorization: `Bearer ${tokens['access_token']}` };
  const useToken = async () =>
    (
      await createPerson(sso.gateway.url).ask({
        path: `/api/organizations/${acme.id}/members`,
        headers,
      })
    ).status;
  // The person’s role does not let the token list the members.
  expect([await statusWith(key), await useToken()]).toEqual([200, 403]);

  const owner = await takeOver();

  expect([await statusWith(key), await statusWith(bound), await useToken()]).toEqual([
    401, 401, 401,
  ]);
  expect((await oauth.refresh(client, tokens['refresh_token']!)).status).toBe(400);
  const support = await createConnectionsSupport(sso.world, sso.gateway);
  // As several gateways do.
  await Promise.all([support.keys.revokeEnded(), support.keys.revokeEnded()]);
  await support.connections.revokeUnusable();
  await support.close();
  for (const path of ['/api/keys', '/api/me/connections']) {
    const { body } = await owner.person.ask<{ data: unknown[] }>({ path, headers: owner.bearer });
    expect(body.data, path).toEqual([]);
  }
  expect(await driftOf(sso.gateway)).toEqual([]);
});

test('a key that is made after an account was taken over works', async () => {
  const { takeOver } = await createTaken();
  expect(await statusWith(await createKey(await takeOver(), readAccess))).toBe(200);
});

test('a key that a session creates while it is ended is not saved', async () => {
  const { squatter } = await createTaken();
  const { account_id, bearer } = squatter;
  const create = () =>
    squatter.person.ask({
      ...{
        path: '/api/keys',
        headers: bearer,
        body: { name: 'late', mcp_capabilities: [], ...readAccess },
      },
    });
  const endSessions = () =>
    sso.world.query('UPDATE account_session SET revoked_at = now() WHERE account_id = $1', [
      account_id,
    ]);
  const [creation] = await interleaved(sso.world, account_id, create, endSessions);
  expect(creation.status).toBe(401);
  const keys = await sso.world.query('SELECT id FROM api_key WHERE account_id = $1', [account_id]);
  expect(keys).toEqual([]);
});
