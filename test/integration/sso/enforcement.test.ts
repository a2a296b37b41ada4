import { expect, onTestFinished, test } from 'vitest';
import { ADMIN, askPresent, outcomeOf } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { goodPassword, newEmail, signUp, tokenOf } from '../../support/people/people.ts';
import type { Answer, Person, SignedUp } from '../../support/people/people.ts';
import { recover } from '../../support/people/recovered.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import { cookieOf, profileOf } from '../../support/people/third-party.ts';
import { createBrowserOf } from '../../support/people/visitor.ts';
import type { Visitor } from '../../support/people/visitor.ts';
import { createChanging } from '../accounts/email-change/changing-email.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld());

const login = ({ person, email, password }: SignedUp, entered = password) =>
  person.ask<Errors>({ path: '/api/auth/login', body: { email, password: entered } });
const isAlive = async ({ person, bearer }: SignedUp) =>
  (await person.ask({ path: '/api/user/profile', headers: bearer })).status === 200;
const refresh = (person: Person, cookie: string | undefined) =>
  person.ask<Errors>({
    ...{ method: 'POST', path: '/api/auth/refresh' },
    headers: { cookie: `refresh=${cookie}`, origin: sso.gateway.config.PUBLIC_URL },
  });
/** Refreshes the session of a browser, which keeps its former token. */
const refreshOf = ({ person, jar }: Visitor) => refresh(person, jar.get('refresh')?.value);
const withoutId = ({ status, body, headers }: Answer<Errors>) => [
  ...[status, body, headers.get('content-type')],
];

test('enforcement needs a verified domain and the caller’s own test within the hour (sso_not_tested)', async () => {
  const acme = await sso.organization();
  expect(outcomeOf(await acme.enforce(acme.owner))).toEqual([422, 'sso_not_tested']);

  const tested = await acme.test(acme.owner, acme.someone());
  expect(tested.location).toBe(sso.home);
  expect(tested.setCookie.filter((line) => line.startsWith('session='))).toEqual([]);
  const admin = await sso.join(acme.id, 'admin', [ADMIN]);
  expect(outcomeOf(await acme.enforce(admin))).toEqual([422, 'sso_not_tested']);
  const path = `${acme.path}/connections/${acme.connection.id}`;
  await sso.require(acme.owner, {
    ...{ method: 'PATCH', path, body: { attributes: { first_name: 'nickname' } } },
  });
  expect(outcomeOf(await acme.enforce(acme.owner))).toEqual([422, 'sso_not_tested']);
  await acme.test(acme.owner, acme.someone());
  const age = "UPDATE sso_test SET succeeded_at = succeeded_at - interval '61 minutes'";
  await sso.world.query(age);
  expect(outcomeOf(await acme.enforce(acme.owner))).toEqual([422, 'sso_not_tested']);
  await acme.test(acme.owner, acme.someone());
  expect((await acme.enforce(acme.owner)).body.enforced).toBe(true);
  const removed = await askPresent(acme.owner, { method: 'DELETE', path });
  expect(outcomeOf(removed)).toEqual([409, 'last_connection']);
});

test('replacing the client secret ends the tests of the connection, also one that was under way', async () => {
  const acme = await sso.organization();
  const replace = () =>
    sso.require(acme.owner, {
      ...{ method: 'PATCH', path: `${acme.path}/connections/${acme.connection.id}` },
      body: { oidc: { client_secret: sso.oidc.client_secret } },
    });
  await acme.test(acme.owner, acme.someone());
  await replace();
  expect(outcomeOf(await acme.enforce(acme.owner))).toEqual([422, 'sso_not_tested']);

  onTestFinished(() => {
    sso.provider.deviations = {};
  });
  // The provider accepts the former secret just before the new one is saved.
  sso.provider.deviations = {
    async claims(standard) {
      await replace();
      return standard;
    },
  };
  const late = await acme.test(acme.owner, acme.someone());
  expect(late.location).toBe(sso.refused('expired'));
  expect(outcomeOf(await acme.enforce(acme.owner))).toEqual([422, 'sso_not_tested']);
});

test('a test changes no account, and its link works once, for the person who requested it', async () => {
  const acme = await sso.organization();
  const pat = await acme.signUp();
  const { url } = await sso.require<{ url: string }>(acme.owner, {
    path: `${acme.path}/connections/${acme.connection.id}/test`,
    body: { return_path: '/settings/sso' },
  });
  const person = acme.someone({ email: pat.email });
  const browserOf = (who: SignedUp) => createBrowserOf(sso.gateway.url, who);
  for (const browser of [undefined, browserOf(pat)])
    expect((await sso.signInAt(url, person, browser)).step.location).toBe(sso.refused('expired'));
  const own = () => sso.signInAt(url, person, browserOf(acme.owner));
  const { step } = await own();
  expect(step.location).toBe(`${sso.gateway.config.DASHBOARD_URL}/settings/sso`);
  expect(
    await sso.world.query('SELECT FROM account_identity WHERE subject = $1', [person.sub]),
  ).toEqual([]);
  expect((await own()).step.location).toBe(sso.refused('expired'));
});

test('switching on ends the sessions of members in the domain; they cannot use a password, the Owner and others can (B4-21)', async () => {
  const acme = await sso.organization();
  const pat = await acme.signUp();
  const outsider = await signUp(sso.world, sso.gateway, 'outsider');
  const stranger = await acme.signUp('stranger');
  await sso.joins.add(acme.id, pat);
  await sso.joins.add(acme.id, outsider);
  await acme.test(acme.owner, acme.someone());

  await acme.enforce(acme.owner);

  expect(await isAlive(pat)).toBe(false);
  expect(await Promise.all([acme.owner, outsider, stranger].map(isAlive))).toEqual([
    ...[true, true, true],
  ]);
  for (const free of [acme.owner, outsider, stranger]) expect((await login(free)).status).toBe(200);
  const [required, wrong] = [await login(pat), await login(pat, 'not the password 42')];
  const unknown = await login({ ...pat, email: newEmail() });
  expect(withoutId(required)).toEqual(withoutId(wrong));
  expect(withoutId(required)).toEqual(withoutId(unknown));
  expect(outcomeOf(required)).toEqual([401, 'authentication_error']);
  const found = await pat.person.ask<{ required: boolean }>({
    path: `/api/auth/sso?email=${pat.email}`,
  });
  expect(found.body.required).toBe(true);

  // A linked personal account may reset its password, but still not use it.
  await pat.person.ask({
    path: '/api/auth/password/reset',
    body: { email: pat.email, captcha_token: await pat.person.captcha() },
  });
  const token = tokenOf(await sso.world.mailbox.next(pat.email));
  const password = 'another lantern orbit 43';
  const confirmed = await pat.person.ask({
    ...{ path: '/api/auth/password/reset/confirm', body: { token, password } },
  });
  expect(confirmed.status).toBeLessThan(300);
  expect((await login({ ...pat, password })).status).toBe(401);

  const { visitor, step } = await acme.signIn(acme.someone({ email: pat.email }));
  expect(step.location).toBe(sso.home);
  expect((await profileOf(visitor)).body.id).toBe(pat.account_id);

  // Below Enterprise enforcement rests, and single sign-on stays.
  await sso.gateway.service.organizations.setPlan(acme.id, 'pro');
  expect((await login({ ...pat, password })).status).toBe(200);
  const below = await askPresent<{ available: boolean }>(acme.owner, { path: acme.path });
  expect([below.status, below.body.available]).toEqual([200, false]);
  expect(outcomeOf(await acme.enforce(acme.owner, false))).toEqual([422, 'plan_required']);
});

test('a session from before the person was bound ends when it is refreshed; one through SSO goes on', async () => {
  const acme = await sso.organization();
  const pat = await acme.signUp();
  await acme.test(acme.owner, acme.someone());
  await acme.enforce(acme.owner);
  const { visitor } = await acme.signIn(acme.someone());
  await sso.joins.add(acme.id, pat);

  expect(outcomeOf(await refresh(pat.person, pat.cookies.get('refresh')))).toEqual([
    ...[401, 'invalid_credential'],
  ]);
  expect(await isAlive(pat)).toBe(false);
  expect((await refreshOf(visitor)).status).toBe(200);
});

test('for a member who must sign in at one organization, the provider of another one is a third party', async () => {
  const [acme, other] = [await sso.organization(), await sso.organization()];
  const pat = await other.signUp();
  const claims = other.someone({ email: pat.email });
  const { visitor } = await other.signIn(claims);
  const changing = createChanging(sso.world, sso.gateway);
  const moved = `pat@${acme.domain}`;
  expect(await changing.confirm(await changing.linkFor(pat, moved))).toBe(200);
  expect((await other.signIn(claims, visitor)).step.location).toBe(sso.home);
  await acme.test(acme.owner, acme.someone());
  await acme.enforce(acme.owner);
  await sso.joins.add(acme.id, pat);

  expect(outcomeOf(await refreshOf(visitor))).toEqual([401, 'invalid_credential']);
  expect((await profileOf(visitor)).status).toBe(401);
  expect((await other.signIn(claims)).step.location).toBe(sso.refused('sso_required'));
});

test('a session ends when it is refreshed once its connection may not sign in to the account any more', async () => {
  const acme = await sso.organization();
  const admin = await sso.join(acme.id, 'admin', [ADMIN]);
  const connection = await acme.connect(admin);
  const signIn = async () => {
    const { visitor } = await connection.signIn(acme.someone());
    return { visitor, id: (await profileOf(visitor)).body.id };
  };
  const [heir, leaver, user] = [await signIn(), await signIn(), await signIn()];
  await sso.require(acme.owner, {
    ...{ method: 'DELETE', path: `/api/organizations/${acme.id}/members/${leaver.id}` },
  });
  expect(outcomeOf(await refreshOf(leaver.visitor))).toEqual([401, 'invalid_credential']);
  await sso.require(acme.owner, {
    path: `/api/organizations/${acme.id}/transfer-ownership`,
    body: { account_id: heir.id, current_password: acme.owner.password },
  });
  expect(outcomeOf(await refreshOf(heir.visitor))).toEqual([401, 'invalid_credential']);
  expect((await refreshOf(user.visitor)).status).toBe(200);
  await sso.require(admin, { method: 'DELETE', path: connection.path });
  expect(outcomeOf(await refreshOf(user.visitor))).toEqual([401, 'invalid_credential']);
});

test('a session ends when it is refreshed once its link has ended, even if the account is linked again', async () => {
  const acme = await sso.organization();
  const claims = acme.someone();
  const [idle, former] = [(await acme.signIn(claims)).visitor, (await acme.signIn(claims)).visitor];
  const setIssuer = (issuer: string) =>
    sso.require(acme.owner, {
      ...{ method: 'PATCH', path: `${acme.path}/connections/${acme.connection.id}` },
      body: { oidc: { issuer } },
    });
  await setIssuer(sso.oidc.issuer.replace('127.0.0.1', 'localhost'));
  await setIssuer(sso.oidc.issuer);
  expect(outcomeOf(await refreshOf(former))).toEqual([401, 'invalid_credential']);

  const { visitor } = await acme.signIn({ ...claims, sub: crypto.randomUUID() });
  expect(outcomeOf(await refreshOf(idle))).toEqual([401, 'invalid_credential']);
  expect((await refreshOf(visitor)).status).toBe(200);
});

test('verifying another domain while enforced ends the sessions of its members', async () => {
  const acme = await sso.organization();
  await acme.test(acme.owner, acme.someone());
  await acme.enforce(acme.owner);
  const second = `second-${acme.domain}`;
  const pat = await signUp(sso.world, sso.gateway, 'pat', `pat@${second}`);
  await sso.joins.add(acme.id, pat);
  const claimed = await sso.require<{ txt_name: string; txt_value: string }>(acme.owner, {
    ...{ path: `${acme.path}/domains`, body: { domain: second } },
  });
  expect(await isAlive(pat)).toBe(true);
  sso.dns.records.set(claimed.txt_name, [[claimed.txt_value]]);
  await sso.require(acme.owner, { method: 'POST', path: `${acme.path}/domains/${second}/verify` });
  expect(await isAlive(pat)).toBe(false);
});

test('a managed account cannot be deleted, renamed or given a password by its person, until the organization lets it go', async () => {
  const acme = await sso.organization();
  const ada = acme.someone();
  const { visitor } = await acme.signIn(ada);
  const { id } = (await profileOf(visitor)).body;
  const ask = (who: Visitor, method: string, path: string, body: object) =>
    who.person.ask<Errors>({
      ...{ method, path, body },
      headers: { ...cookieOf(who), origin: sso.gateway.config.PUBLIC_URL },
    });
  const attempts = (who: Visitor) => [
    () => ask(who, 'POST', '/api/user/email', { email: newEmail() }),
    () => ask(who, 'POST', '/api/user/password', { password: 'lantern orbit velvet 44' }),
    () => ask(who, 'DELETE', '/api/user/account', { confirm: ada.email }),
  ];
  for (const attempt of attempts(visitor))
    expect(outcomeOf(await attempt())).toEqual([403, 'managed_by_organization']);
  const before = sso.world.mailbox.emails.length;
  const reset = async () =>
    visitor.person.ask({
      path: '/api/auth/password/reset',
      body: { email: ada.email, captcha_token: await visitor.person.captcha() },
    });
  expect((await reset()).status).toBe(200);
  const witness = await signUp(sso.world, sso.gateway, 'witness');
  expect(sso.world.mailbox.emails.slice(before).map(({ to }) => to)).toEqual([witness.email]);

  await sso.require(acme.owner, {
    ...{
      method: 'DELETE',
      path: `/api/organizations/${acme.id}`,
      body: { confirm: 'Acme', current_password: goodPassword },
    },
  });
  // Without a way to sign in, the person may now set a password by e-mail.
  const recovered = await recover(sso.world, sso.gateway, ada.email);
  expect(recovered.account_id).toBe(id);
  await sso.require(recovered, {
    ...{ method: 'DELETE', path: '/api/user/account', body: { confirm: ada.email } },
  });
});
