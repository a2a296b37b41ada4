import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthenticator } from '../../support/people/authenticator.ts';
import type { Authenticator } from '../../support/people/authenticator.ts';
import {
  addPasskey,
  addTotp,
  answer,
  codeOf,
  forgetSteps,
  passkeyOptions,
  signInByPasskey,
} from '../../support/people/factors.ts';
import { askAs, outcomeOf } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { goodPassword, newEmail } from '../../support/people/people.ts';
import type { Answer, SignedUp } from '../../support/people/people.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import { createVisitor } from '../../support/people/visitor.ts';
import type { Visitor } from '../../support/people/visitor.ts';
import { sessionOf } from './ended-access.ts';
import type { Organization } from './ended-access.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld(({ env }) => env));

const refused = [403, 'own_sign_in_required'];

/** Signs up a person who has no password, with an address in the domain, at a third party. */
async function signUpElsewhere({ domain }: Organization) {
  const email = `pat-${randomUUID().slice(0, 12)}@${domain}`;
  const claims = { sub: randomUUID(), email, email_verified: true, given_name: 'Pat' };
  const signIn = async (): Promise<{ visitor: Visitor; location: string }> => {
    sso.provider.person = claims;
    const visitor = createVisitor(sso.gateway.url);
    const { location } = await visitor.signIn('oidc');
    return { visitor, location };
  };
  const { visitor } = await signIn();
  return { pat: await sessionOf(visitor, email), email, signIn };
}

/** Signs in as someone who controls the identity provider of the organization. */
async function intrude(acme: Organization, { email, account_id }: SignedUp): Promise<SignedUp> {
  const { visitor } = await acme.signIn(acme.someone({ email }));
  const intruder = await sessionOf(visitor, email);
  expect(intruder.account_id).toBe(account_id);
  return intruder;
}

const remove = (who: SignedUp, path: string, body: object = {}) =>
  askAs<Errors>(who, { method: 'DELETE', path, body });

/** Returns the paths of the third parties that the account is linked to. */
async function identitiesOf(who: SignedUp, provider: string): Promise<string[]> {
  const { body } = await askAs<{ data: { id: string; provider: string }[] }>(who, {
    path: '/api/user/identities',
  });
  const linked = body.data.filter((identity) => identity.provider === provider);
  return linked.map(({ id }) => `/api/user/identities/${id}`);
}

/** A session that `token` names, as the helpers for people with a password expect it. */
const withToken = (who: SignedUp, access_token: string): SignedUp => ({
  ...who,
  ...{ access_token, cookies: new Map([['session', access_token]]) },
  bearer: { authorization: `Bearer ${access_token}` },
});

async function byPasskey(who: SignedUp, authenticator: Authenticator): Promise<SignedUp> {
  const { token, options } = await passkeyOptions(sso.gateway);
  const body = { token, response: authenticator.get(options) };
  const signedIn = await signInByPasskey(sso.gateway, body);
  return withToken(who, (signedIn.body as unknown as { access_token: string }).access_token);
}

/** Tries everything with which someone could keep or end the account. */
async function attempts(who: SignedUp, { identity, passkey }: Record<string, string>) {
  const asked: [string, Answer<Errors>][] = [
    ['authenticator app', await remove(who, '/api/user/totp')],
    ['recovery codes', await askAs<Errors>(who, { path: '/api/user/recovery-codes', body: {} })],
    ['third party', await remove(who, identity!)],
    ['passkey', await remove(who, passkey!)],
    ['address', await askAs(who, { path: '/api/user/email', body: { email: newEmail() } })],
    [
      'password',
      await askAs(who, { path: '/api/user/password', body: { password: goodPassword } }),
    ],
    ['account', await remove(who, '/api/user/account', { confirm: who.email })],
  ];
  return Object.fromEntries(asked.map(([what, response]) => [what, outcomeOf(response)]));
}

test('someone who controls the identity provider neither removes what a person without a password had before, nor sets a password or address, nor deletes the account', async () => {
  const acme = await sso.organization();
  const { pat } = await signUpElsewhere(acme);
  const passkey = await addPasskey(pat, createAuthenticator(sso.gateway.config.PUBLIC_URL));
  await addTotp(sso.world, pat);
  const [identity] = await identitiesOf(pat, 'oidc');
  const had = { identity: identity!, passkey: `/api/user/passkeys/${passkey.id}` };
  const intruder = await intrude(acme, pat);

  expect(await attempts(intruder, had)).toEqual({
    ...{ 'authenticator app': refused, 'recovery codes': refused, 'third party': refused },
    ...{ passkey: refused, address: refused, password: refused, account: refused },
  });

  // Nobody else can have opened a session that is older.
  expect(outcomeOf(await remove(pat, '/api/user/totp'))).toEqual([204]);
});

test('a sign-in with a third party or passkey that the person had before is a proof that the identity provider lacks', async () => {
  const acme = await sso.organization();
  const { pat, signIn } = await signUpElsewhere(acme);
  const authenticator = createAuthenticator(sso.gateway.config.PUBLIC_URL);
  await addPasskey(pat, authenticator);
  const { secret } = await addTotp(sso.world, pat);
  await intrude(acme, pat);

  // With a second factor, which the sign-in waits for.
  const fragment = new URL((await signIn()).location).hash.slice(1);
  await forgetSteps(sso.world, pat.account_id);
  const token = new URLSearchParams(fragment).get('token');
  const { body } = await answer(sso.gateway, { token, code: codeOf(secret) });
  const atThirdParty = withToken(pat, body.access_token);
  expect(outcomeOf(await remove(atThirdParty, '/api/user/totp'))).toEqual([204]);

  const withPasskey = await byPasskey(pat, authenticator);
  const password = { path: '/api/user/password', body: { password: goodPassword } };
  expect(outcomeOf(await askAs(withPasskey, password))).toEqual([204]);
});

test('a sign-in with a method that was added since the identity provider could sign in is not such a proof', async () => {
  const acme = await sso.organization();
  const { pat } = await signUpElsewhere(acme);
  const [identity] = await identitiesOf(pat, 'oidc');
  const intruder = await intrude(acme, pat);
  const authenticator = createAuthenticator(sso.gateway.config.PUBLIC_URL);
  const passkey = await addPasskey(intruder, authenticator);

  const again = await byPasskey(pat, authenticator);

  expect(outcomeOf(await remove(again, identity!))).toEqual(refused);
  // They may undo what they have done.
  expect(outcomeOf(await remove(again, `/api/user/passkeys/${passkey.id}`))).toEqual([204]);
});

test('a person deletes an account without a password with their own sign-in', async () => {
  const acme = await sso.organization();
  const { pat, signIn } = await signUpElsewhere(acme);
  await intrude(acme, pat);
  const { visitor } = await signIn();

  const own = await sessionOf(visitor, pat.email);

  expect(outcomeOf(await remove(own, '/api/user/account', { confirm: pat.email }))).toEqual([204]);
});

test('a member does not remove the last way to sign in that stays when the membership ends', async () => {
  const acme = await sso.organization();
  const { pat, signIn } = await signUpElsewhere(acme);
  const [identity] = await identitiesOf(pat, 'oidc');
  await intrude(acme, pat);
  const own = await sessionOf((await signIn()).visitor, pat.email);
  await addPasskey(own, createAuthenticator(sso.gateway.config.PUBLIC_URL));

  expect(outcomeOf(await remove(own, identity!))).toEqual([422, 'last_way_in']);
  // What signs in through the organization does not stay anyway.
  expect(await identitiesOf(own, 'sso')).toHaveLength(1);
  for (const linked of await identitiesOf(own, 'sso'))
    expect(outcomeOf(await remove(own, linked))).toEqual([204]);
});

test('a sign-in that makes nobody a member links nothing, and leaves the account to its person', async () => {
  const acme = await sso.organization();
  const { pat } = await signUpElsewhere(acme);
  const claims = acme.someone({ email: pat.email });
  await sso.joins.setStatus(acme.id, 'suspended');
  expect((await acme.signIn(claims)).step.location).toBe(sso.refused('not_joined'));
  await sso.joins.setStatus(acme.id, 'active');
  const filler = `WITH people AS (
      INSERT INTO account (id, managed_by) SELECT gen_random_uuid(), $1
      FROM generate_series(1, $2::int) RETURNING id)
    INSERT INTO membership (id, organization_id, account_id)
    SELECT gen_random_uuid(), $1, id FROM people`;
  await sso.world.query(filler, [acme.id, sso.gateway.config.plans.enterprise.members]);
  expect((await acme.signIn(claims)).step.location).toBe(sso.refused('not_joined'));
  // Not to be looked for in OpenFGA.
  await sso.world.query('DELETE FROM account WHERE managed_by = $1 AND email IS NULL', [acme.id]);

  const linked = 'SELECT provider FROM account_identity WHERE account_id = $1';
  expect(await sso.world.query(linked, [pat.account_id])).toEqual([{ provider: 'oidc' }]);
  const access = 'SELECT FROM sso_access WHERE account_id = $1';
  expect(await sso.world.query(access, [pat.account_id])).toEqual([]);
  const password = { path: '/api/user/password', body: { password: goodPassword } };
  expect(outcomeOf(await askAs(pat, password))).toEqual([204]);
});
