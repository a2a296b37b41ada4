import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../support/people/authenticator.ts';
import { addPasskey, passkeyOptions, signInByPasskey } from '../../support/people/factors.ts';
import { createOAuthPeer, insertClient } from '../../support/people/oauth.ts';
import { ADMIN, askPresent, MEMBER } from '../../support/people/organizations.ts';
import { createPerson } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import type { SsoWorld } from '../../support/people/sso.ts';
import { profileOf } from '../../support/people/third-party.ts';

let sso: SsoWorld;
beforeAll(async () => {
  sso = await createSsoWorld();
});
afterAll(() => sso?.close());

type Organization = Awaited<ReturnType<SsoWorld['organization']>>;

/** Signs in as a new person through a connection that `configurer` configured. */
async function impersonate(acme: Organization, configurer: SignedUp) {
  const connection = await acme.connect(configurer);
  const claims = acme.someone();
  const { visitor } = await connection.signIn(claims);
  const access_token = visitor.jar.get('session')!.value;
  const account: SignedUp = {
    ...{ person: visitor.person, email: claims.email, password: '', access_token },
    account_id: (await profileOf(visitor)).body.id,
    cookies: new Map([['session', access_token]]),
    bearer: { authorization: `Bearer ${access_token}` },
  };
  return { connection, claims, account };
}

const members = ({ id }: Organization) => `/api/organizations/${id}/members`;
const setRoles = (acme: Organization, who: SignedUp, account_id: string, role_ids: string[]) =>
  askPresent(who, { method: 'PATCH', path: `${members(acme)}/${account_id}`, body: { role_ids } });
const transfer = ({ id, owner }: Organization, account_id: string) =>
  sso.require(owner, {
    path: `/api/organizations/${id}/transfer-ownership`,
    body: { account_id, current_password: owner.password },
  });

/** Returns an account that the connection of someone with less than an Admin created. */
async function promoted() {
  const acme = await sso.organization();
  const configurer = await acme.addConfigurer();
  const squat = await impersonate(acme, configurer);
  return {
    ...{ acme, configurer, ...squat },
    promote: async () => {
      const { status } = await setRoles(acme, acme.owner, squat.account.account_id, [ADMIN]);
      expect(status).toBe(200);
      const { step } = await squat.connection.signIn(squat.claims);
      expect(step.location).toBe(sso.refused('account_not_linked'));
    },
  };
}

describe('someone who can only configure single sign-on does not act through an account that their connection created and that was made an Admin', () => {
  test('by a session that was open', async () => {
    const { acme, configurer, account, promote } = await promoted();
    await promote();
    const raised = await setRoles(acme, account, configurer.account_id, [MEMBER, ADMIN]);
    expect(raised.status).toBe(401);
  });

  test('by an OAuth connection that the account authorized before', async () => {
    const { acme, account, promote } = await promoted();
    const oauth = createOAuthPeer(sso.gateway);
    const client = await insertClient(sso.world, {
      owner: { organization_id: acme.id },
      scopes: ['read:organization_members', 'update:organization_members'],
    });
    const { body } = await oauth.exchange(client, await oauth.authorize(client, account));
    await promote();
    const listed = await createPerson(sso.gateway.url).ask({
      path: members(acme),
      headers: { authorization: `Bearer ${body['access_token']}` },
    });
    expect(listed.status).toBe(401);
  });

  test('by a passkey that was added to the account before', async () => {
    const { account, promote } = await promoted();
    const authenticator = createAuthenticator(sso.gateway.config.PUBLIC_URL);
    await addPasskey({ person: account.person, bearer: account.bearer }, authenticator);
    await promote();
    const { token, options } = await passkeyOptions(sso.gateway);
    const response = authenticator.get(options);
    expect((await signInByPasskey(sso.gateway, { token, response })).status).toBe(401);
  });
});

describe('an Admin does not act through the account of someone who signs in through their connection and was made the Owner', () => {
  async function inherited() {
    const acme = await sso.organization();
    const admin = await sso.join(acme.id, 'admin', [ADMIN]);
    const heir = await impersonate(acme, admin);
    return { acme, admin, ...heir };
  }

  test('by a session that was open', async () => {
    const { acme, admin, connection, claims, account } = await inherited();
    await transfer(acme, account.account_id);
    expect((await connection.signIn(claims)).step.location).toBe(sso.refused('account_not_linked'));
    const taken = await askPresent(account, {
      path: `/api/organizations/${acme.id}/transfer-ownership`,
      body: { account_id: admin.account_id },
    });
    expect(taken.status).toBe(401);
  });

  test('by saving the connection in a session that was open', async () => {
    const { acme, connection, claims, account } = await inherited();
    await transfer(acme, account.account_id);
    await askPresent(account, {
      ...{ method: 'PATCH', path: connection.path, body: { attributes: { first_name: 'nick' } } },
    });
    expect((await connection.signIn(claims)).step.location).toBe(sso.refused('account_not_linked'));
  });

  test('by a passkey that was added to the account before', async () => {
    const { acme, account } = await inherited();
    const authenticator = createAuthenticator(sso.gateway.config.PUBLIC_URL);
    await addPasskey({ person: account.person, bearer: account.bearer }, authenticator);
    await transfer(acme, account.account_id);
    const { token, options } = await passkeyOptions(sso.gateway);
    const response = authenticator.get(options);
    expect((await signInByPasskey(sso.gateway, { token, response })).status).toBe(401);
  });
});
