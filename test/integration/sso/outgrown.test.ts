import { describe, expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../support/people/oauth.ts';
import { ADMIN, askPresent, MEMBER } from '../../support/people/organizations.ts';
import { createPerson } from '../../support/people/people.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import { createImpersonation } from './impersonation.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld());
const impersonation = createImpersonation(sso);

/** Returns an account that the connection of someone with less than an Admin created. */
async function promoted() {
  const acme = await sso.organization();
  const configurer = await acme.addConfigurer();
  const squat = await impersonation.sign(acme, configurer);
  return {
    ...{ acme, configurer, ...squat },
    promote: async () => {
      const { status } = await impersonation.setRoles(acme, acme.owner, squat.account.account_id, [
        ADMIN,
      ]);
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
    const raised = await impersonation.setRoles(acme, account, configurer.account_id, [
      MEMBER,
      ADMIN,
    ]);
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
      path: `/api/organizations/${acme.id}/members`,
      headers: { authorization: `Bearer ${body['access_token']}` },
    });
    expect(listed.status).toBe(401);
  });

  test('by a passkey that was added to the account before', async () => {
    const { account, promote } = await promoted();
    const signsIn = await impersonation.leavePasskey(account);
    await promote();
    expect(await signsIn()).toBe(false);
  });
});

describe('an Admin does not act through the account of someone who signs in through their connection and was made the Owner', () => {
  async function inherited() {
    const acme = await sso.organization();
    const admin = await sso.join(acme.id, 'admin', [ADMIN]);
    const heir = await impersonation.sign(acme, admin);
    return { acme, admin, ...heir };
  }

  test('by a session that was open', async () => {
    const { acme, admin, connection, claims, account } = await inherited();
    await impersonation.transfer(acme, account.account_id);
    expect((await connection.signIn(claims)).step.location).toBe(sso.refused('account_not_linked'));
    const taken = await askPresent(account, {
      path: `/api/organizations/${acme.id}/transfer-ownership`,
      body: { account_id: admin.account_id },
    });
    expect(taken.status).toBe(401);
  });

  test('by saving the connection in a session that was open', async () => {
    const { acme, connection, claims, account } = await inherited();
    await impersonation.transfer(acme, account.account_id);
    await askPresent(account, {
      ...{ method: 'PATCH', path: connection.path, body: { attributes: { first_name: 'nick' } } },
    });
    expect((await connection.signIn(claims)).step.location).toBe(sso.refused('account_not_linked'));
  });

  test('by a passkey that was added to the account before', async () => {
    const { acme, account } = await inherited();
    const signsIn = await impersonation.leavePasskey(account);
    await impersonation.transfer(acme, account.account_id);
    expect(await signsIn()).toBe(false);
  });
});
