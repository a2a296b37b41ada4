import { randomUUID } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
import { ADMIN, askPresent, MEMBER } from '../../support/people/organizations.ts';
import { goodPassword, newEmail, signUp } from '../../support/people/people.ts';
import { createOidcPeer } from '../../support/people/oidc-peer.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import { cookieOf, profileOf } from '../../support/people/third-party.ts';
import { createVisitor, followProvider } from '../../support/people/visitor.ts';
import type { Visitor } from '../../support/people/visitor.ts';
import { createTeam } from '../../support/people/teams.ts';
import { createChanging } from '../accounts/email-change/changing-email.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld());
beforeEach(() => {
  sso.provider.deviations = {};
});

const organizationOf = (visitor: Visitor, id: string) =>
  visitor.person.ask<OrganizationRecord>({
    path: `/api/organizations/${id}`,
    headers: cookieOf(visitor),
  });

test('a first sign-in creates a managed account and makes it a member with the roles and seats of the connection', async () => {
  const acme = await sso.organization();
  const red = await createTeam(acme.owner, acme.id, 'red');
  await sso.require(acme.owner, {
    method: 'PATCH',
    path: `${acme.path}/connections/${acme.connection.id}`,
    body: { role_ids: [MEMBER, ADMIN], teams: [{ team_id: red.id, role_ids: [] }] },
  });
  const ada = acme.someone({ locale: 'de-CH' });

  const { visitor, step } = await acme.signIn(ada);

  expect([step.status, step.location]).toEqual([302, sso.home]);
  const profile = (await profileOf(visitor)).body;
  expect(profile).toMatchObject({ email: ada.email, first_name: 'Ada', locale: 'de' });
  const { membership } = (await organizationOf(visitor, acme.id)).body;
  expect(membership.roles.map(({ id }) => id).toSorted()).toEqual([ADMIN, MEMBER]);
  expect(membership.teams.map(({ name }) => name)).toEqual(['red']);
  expect(
    await sso.world.query('SELECT password_hash, managed_by FROM account WHERE id = $1', [
      profile.id,
    ]),
  ).toEqual([{ password_hash: null, managed_by: acme.id }]);

  const again = await acme.signIn({ ...ada, email: `other@${acme.domain}`, given_name: 'Eve' });
  expect((await profileOf(again.visitor)).body).toEqual(profile);
});

test('a person whose address is outside the verified domains, missing or unverified is refused, and nothing is saved', async () => {
  const acme = await sso.organization();
  for (const claims of [
    { email: newEmail() },
    { email: `ada@sub.${acme.domain}` },
    { email: undefined },
    { email: `ada@${acme.domain}`, email_verified: false },
    { email: `ada@${acme.domain}`, email_verified: 'false' },
    { email: `ada@${acme.domain}`, email_verified: 'False' },
    { email: `ada@${acme.domain}`, email_verified: 0 },
    { email: `"ada"@${acme.domain}` },
  ]) {
    const person = acme.someone(claims);
    const { step } = await acme.signIn(person);
    expect(step.location).toBe(sso.refused('outside_domain'));
    expect(
      await sso.world.query('SELECT FROM account_identity WHERE subject = $1', [person.sub]),
    ).toEqual([]);
  }
  await sso.require(acme.owner, { method: 'DELETE', path: `${acme.path}/domains/${acme.domain}` });
  const { step } = await acme.signIn(acme.someone());
  expect(step.location).toBe(sso.refused('outside_domain'));
});

test('an address with a verified account links it, with an e-mail, and joins', async () => {
  const acme = await sso.organization();
  const pat = await acme.signUp();

  const { visitor, step } = await acme.signIn(acme.someone({ email: pat.email }));

  expect(step.location).toBe(sso.home);
  expect((await profileOf(visitor)).body.id).toBe(pat.account_id);
  expect((await organizationOf(visitor, acme.id)).status).toBe(200);
  const email = await sso.world.mailbox.next(pat.email);
  expect(email.text).toContain('SSO');
  // Not a managed account: the password still works.
  const login = await pat.person.ask({
    ...{ path: '/api/auth/login', body: { email: pat.email, password: pat.password } },
  });
  expect(login.status).toBe(200);
});

test('an organization does not sign in to the accounts of former members: they have left or were removed, linked or by address', async () => {
  const acme = await sso.organization();
  const ada = acme.someone();
  const managed = (await profileOf((await acme.signIn(ada)).visitor)).body.id;
  const pat = await acme.signUp();
  const linked = acme.someone({ email: pat.email });
  await acme.signIn(linked);
  const member = (id: string) => ({
    ...{ method: 'DELETE', path: `/api/organizations/${acme.id}/members/${id}` },
  });
  await sso.require(acme.owner, member(managed));
  await sso.require(pat, member(pat.account_id));

  for (const claims of [ada, linked, { ...linked, sub: randomUUID() }])
    expect((await acme.signIn(claims)).step.location).toBe(sso.refused('not_joined'));

  expect(
    await sso.world.query('SELECT FROM account_identity WHERE account_id = ANY($1)', [
      [managed, pat.account_id],
    ]),
  ).toEqual([]);
  await sso.joins.add(acme.id, pat);
  const { visitor } = await acme.signIn(linked);
  expect((await profileOf(visitor)).body.id).toBe(pat.account_id);
  expect((await organizationOf(visitor, acme.id)).status).toBe(200);
});

test('a member is signed in to the account also after its address has changed', async () => {
  const acme = await sso.organization();
  const pat = await acme.signUp();
  const known = acme.someone({ email: pat.email });
  await acme.signIn(known);
  const changing = createChanging(sso.world, sso.gateway);
  expect(await changing.confirm(await changing.linkFor(pat, newEmail()))).toBe(200);

  const { visitor } = await acme.signIn(known);

  expect((await profileOf(visitor)).body.id).toBe(pat.account_id);
});

test('identities belong to one connection: another organization with the same provider does not get them', async () => {
  const [acme, other] = [await sso.organization(), await sso.organization()];
  const ada = acme.someone();
  await acme.signIn(ada);
  const { step } = await other.signIn(ada);
  expect(step.location).toBe(sso.refused('outside_domain'));
  const disguised = await other.signIn({ ...ada, email: `ada@${other.domain}` });
  expect(disguised.step.location).toBe(sso.home);
  expect((await profileOf(disguised.visitor)).body.email).toBe(`ada@${other.domain}`);
});

test('a flow completes once, in its browser, at its connection, and with the provider’s own response (P7)', async () => {
  const acme = await sso.organization();
  const ada = acme.someone();
  sso.provider.person = ada;
  const visitor = createVisitor(sso.gateway.url);
  const begin = async () => followProvider((await visitor.go(acme.start)).location);

  const raced = await begin();
  const steps = await Promise.all(Array.from({ length: 8 }, () => visitor.go(raced)));
  expect(steps.filter(({ location }) => location === sso.home)).toHaveLength(1);
  expect(steps.filter(({ location }) => location === sso.refused('expired'))).toHaveLength(7);

  const stolen = await begin();
  const thief = createVisitor(sso.gateway.url);
  expect((await thief.go(stolen)).location).toBe(sso.refused('expired'));
  const other = await sso.organization();
  const elsewhere = stolen.replace(acme.connection.id, other.connection.id);
  const flow = visitor.jar.get('flow')!;
  expect((await visitor.go(elsewhere)).location).toBe(sso.refused('expired'));
  visitor.jar.set('flow', flow);
  expect((await visitor.go(stolen)).location).toBe(sso.home);

  for (const claims of [
    { iss: 'https://evil.example' },
    { aud: 'another' },
    { nonce: 'another' },
    { exp: 1 },
  ]) {
    sso.provider.deviations = { claims: (standard) => ({ ...standard, ...claims }) };
    expect((await visitor.go(await begin())).location).toBe(sso.refused('failed'));
  }
});

test('the provider may change its keys and endpoints: the next sign-in uses the new ones', async () => {
  const acme = await sso.organization();
  await acme.signIn(acme.someone());
  await sso.provider.rotateKeys();
  const { step } = await acme.signIn(acme.someone());
  expect(step.location).toBe(sso.home);
});

test('the address alone tells whether its domain signs in elsewhere: known or unknown, the answer is the same', async () => {
  const acme = await sso.organization();
  const { person } = acme.owner;
  const discover = (email: string) =>
    person.ask({ path: `/api/auth/sso?email=${encodeURIComponent(email)}` });
  const known = await discover(acme.owner.email);
  expect(known.body).toEqual({
    connection_id: acme.connection.id,
    url: `${sso.gateway.config.PUBLIC_URL}${acme.start}`,
    required: false,
  });
  expect((await discover(`nobody@${acme.domain.toUpperCase()}`)).body).toEqual(known.body);
  expect((await discover(newEmail())).body).toEqual({
    ...{ connection_id: null, url: null, required: false },
  });
  expect((await discover('nobody')).status).toBe(400);
});

test('an organization without room, or suspended, takes nobody in', async () => {
  const acme = await sso.organization();
  await sso.joins.setStatus(acme.id, 'suspended');
  const ada = acme.someone();
  expect((await acme.signIn(ada)).step.location).toBe(sso.refused('not_joined'));
  await sso.joins.setStatus(acme.id, 'active');
  const filler = `WITH people AS (
      INSERT INTO account (id, managed_by) SELECT gen_random_uuid(), $1
      FROM generate_series(1, $2::int) RETURNING id)
    INSERT INTO membership (id, organization_id, account_id)
    SELECT gen_random_uuid(), $1, id FROM people`;
  await sso.world.query(filler, [acme.id, sso.gateway.config.plans.enterprise.members]);
  expect((await acme.signIn(ada)).step.location).toBe(sso.refused('not_joined'));
  expect(await sso.world.query('SELECT FROM account WHERE email = $1', [ada.email])).toEqual([]);
  // Not to be looked for in OpenFGA.
  await sso.world.query('DELETE FROM account WHERE managed_by = $1 AND email IS NULL', [acme.id]);
});

test('a member’s session signs in below Enterprise too, and a deleted organization’s connection is gone', async () => {
  const acme = await sso.organization();
  await sso.gateway.service.organizations.setPlan(acme.id, 'pro');
  expect((await acme.signIn(acme.someone())).step.location).toBe(sso.home);
  await sso.require(acme.owner, {
    ...{
      method: 'DELETE',
      path: `/api/organizations/${acme.id}`,
      body: { confirm: 'Acme', current_password: goodPassword },
    },
  });
  expect((await createVisitor(sso.gateway.url).go(acme.start)).status).toBe(404);
  const stranger = await signUp(sso.world, sso.gateway);
  expect((await askPresent(stranger, { path: acme.path })).status).toBe(404);
});

test('another implementation of OpenID Connect signs people in: oidc-provider', async () => {
  const acme = await sso.organization();
  const peer = await createOidcPeer(acme.connection.service_provider.callback_url);
  onTestFinished(peer.close);
  await sso.require(acme.owner, {
    method: 'PATCH',
    path: `${acme.path}/connections/${acme.connection.id}`,
    body: {
      oidc: {
        issuer: peer.env['OIDC_ISSUER'],
        client_id: peer.env['OIDC_CLIENT_ID'],
        client_secret: peer.env['OIDC_CLIENT_SECRET'],
      },
    },
  });
  const login = randomUUID();
  const email = `ada@${acme.domain}`;
  peer.people.set(login, { email, email_verified: true, given_name: 'Ada', locale: 'it' });
  const visitor = createVisitor(sso.gateway.url);

  const start = await visitor.go(`${acme.start}?return_path=/keys`);
  const step = await visitor.go(await peer.signIn(start.location, login));

  expect(step.location).toBe(`${sso.gateway.config.DASHBOARD_URL}/keys`);
  expect((await profileOf(visitor)).body).toMatchObject({ email, first_name: 'Ada', locale: 'it' });
});

test('parallel first sign-ins of one person create one account and one membership, without drift (P7)', async () => {
  const acme = await sso.organization();
  const ada = acme.someone();
  sso.provider.person = ada;
  const visitors = Array.from({ length: 6 }, () => createVisitor(sso.gateway.url));
  const callbacks = await Promise.all(
    visitors.map(async (visitor) => followProvider((await visitor.go(acme.start)).location)),
  );

  const steps = await Promise.all(visitors.map((visitor, index) => visitor.go(callbacks[index]!)));

  expect(steps.map(({ status }) => status)).toEqual(visitors.map(() => 302));
  expect(steps.some(({ location }) => location === sso.home)).toBe(true);
  const ids = await sso.world.query<{ id: string }>(
    `SELECT a.id FROM account a JOIN membership m ON m.account_id = a.id
     WHERE a.email = $1 AND m.organization_id = $2 AND m.left_at IS NULL`,
    [ada.email, acme.id],
  );
  expect(ids).toHaveLength(1);
  const drift = await Array.fromAsync(sso.gateway.service.drift({ repair: false }));
  expect(drift.filter(({ scope }) => JSON.stringify(scope).includes(ids[0]!.id))).toEqual([]);
});
