import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthenticator } from '../../support/people/authenticator.ts';
import { addPasskey, passkeyOptions, signInByPasskey } from '../../support/people/factors.ts';
import { ADMIN, askPresent, MEMBER, outcomeOf } from '../../support/people/organizations.ts';
import { newEmail, tokenOf } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import type { SsoWorld } from '../../support/people/sso.ts';
import { createTeam, createTeamRole } from '../../support/people/teams.ts';
import { profileOf } from '../../support/people/third-party.ts';
import { createChanging } from '../accounts/email-change/changing-email.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld());

type Organization = Awaited<ReturnType<SsoWorld['organization']>>;

const transfer = ({ id, owner }: Organization, account_id: string) =>
  sso.require(owner, {
    path: `/api/organizations/${id}/transfer-ownership`,
    body: { account_id, current_password: owner.password },
  });

test('a connection does not sign in to a linked account that became the Owner’s, unless the Owner configured it', async () => {
  const acme = await sso.organization();
  const admin = await sso.join(acme.id, 'admin', [ADMIN]);
  const connection = await acme.connect(admin);
  const mia = await acme.signUp('mia');
  await sso.joins.add(acme.id, mia);
  const claims = acme.someone({ email: mia.email });
  expect((await connection.signIn(claims)).step.location).toBe(sso.home);

  await transfer(acme, mia.account_id);

  expect((await connection.signIn(claims)).step.location).toBe(sso.refused('account_not_linked'));
  const again = { method: 'PATCH', path: connection.path, body: { attributes: { email: 'mail' } } };
  // The transfer has ended what the Admin's connection may have left, such as sessions.
  const { email, password } = mia;
  const { body } = await mia.person.ask<{ access_token: string }>({
    ...{ path: '/api/auth/login', body: { email, password } },
  });
  const bearer = { authorization: `Bearer ${body.access_token}` };
  await sso.require({ ...mia, bearer }, again);
  const { visitor, step } = await connection.signIn({ ...claims, mail: mia.email });
  expect(step.location).toBe(sso.home);
  expect((await profileOf(visitor)).body.id).toBe(mia.account_id);
});

test('a new Owner whose account the organization managed can set a password by e-mail', async () => {
  const acme = await sso.organization();
  const claims = acme.someone();
  const { visitor } = await acme.signIn(claims);
  const { id } = (await profileOf(visitor)).body;
  await transfer(acme, id);
  expect((await acme.signIn(claims)).step.location).toBe(sso.refused('account_not_linked'));

  const { person } = visitor;
  const { email } = claims;
  const captcha_token = await person.captcha();
  await person.ask({ path: '/api/auth/password/reset', body: { email, captcha_token } });
  const token = tokenOf(await sso.world.mailbox.next(email));
  const password = 'own lantern orbit 55';
  await person.ask({ path: '/api/auth/password/reset/confirm', body: { token, password } });
  const login = await person.ask({ path: '/api/auth/login', body: { email, password } });
  expect(login.status).toBe(200);
});

test('an address change that was requested while no organization managed the account is not confirmed once one does', async () => {
  const acme = await sso.organization();
  const claims = acme.someone();
  const { id: account_id } = (await profileOf((await acme.signIn(claims)).visitor)).body;
  const changing = createChanging(sso.world, sso.gateway);
  const leave = () =>
    sso.require(acme.owner, {
      ...{ method: 'DELETE', path: `/api/organizations/${acme.id}/members/${account_id}` },
    });
  await leave();
  const moved = newEmail();
  const token = await changing.linkFor({ account_id }, moved);
  await sso.joins.add(acme.id, { account_id });

  expect(await changing.confirm(token)).toBe(422);

  const emails = () =>
    sso.world.query('SELECT email, managed_by FROM account WHERE id = $1', [account_id]);
  expect(await emails()).toEqual([{ email: claims.email, managed_by: acme.id }]);
  await leave();
  expect(await changing.confirm(token)).toBe(200);
  expect(await emails()).toEqual([{ email: moved, managed_by: null }]);
});

/** What a member can get besides what a connection gave, and how it ends again. */
const gains: [
  what: string,
  get: (acme: Organization, id: string) => Promise<{ end: () => Promise<unknown> }>,
][] = [
  [
    'another role',
    async (acme, id) => {
      const path = `/api/organizations/${acme.id}/members/${id}`;
      const setRoles = (role_ids: string[]) =>
        sso.require(acme.owner, { method: 'PATCH', path, body: { role_ids } });
      await setRoles([MEMBER, ADMIN]);
      return { end: () => setRoles([MEMBER]) };
    },
  ],
  [
    'a seat in a team',
    async (acme, account_id) => {
      const team = await createTeam(acme.owner, acme.id, 'blue');
      const path = `/api/organizations/${acme.id}/teams/${team.id}/members`;
      await sso.require(acme.owner, { path, body: { account_id, role_ids: [] } });
      return {
        end: () => sso.require(acme.owner, { method: 'DELETE', path: `${path}/${account_id}` }),
      };
    },
  ],
  [
    'a role in the team whose seat the connection gave',
    async (acme, id) => {
      const [red] = await sso.world.query<{ id: string }>(
        "SELECT id FROM team WHERE organization_id = $1 AND name = 'red'",
        [acme.id],
      );
      const shared = `/api/organizations/${acme.id}/team-roles`;
      const role = await createTeamRole(acme.owner, shared, { name: 'Extra' });
      const path = `/api/organizations/${acme.id}/teams/${red!.id}/members/${id}`;
      const setRoles = (role_ids: string[]) =>
        sso.require(acme.owner, { method: 'PATCH', path, body: { role_ids } });
      await setRoles([role.id]);
      return { end: () => setRoles([]) };
    },
  ],
  [
    'the membership of another organization',
    async (_acme, account_id) => {
      const other = await sso.organization();
      await sso.joins.add(other.id, { account_id });
      const path = `/api/organizations/${other.id}/members/${account_id}`;
      return { end: () => sso.require(other.owner, { method: 'DELETE', path }) };
    },
  ],
];

test.each(gains)(
  'a connection that no Admin configured does not sign in to an account that has %s',
  async (_what, get) => {
    const acme = await sso.organization();
    const connection = await acme.connect(await acme.addConfigurer());
    const red = await createTeam(acme.owner, acme.id, 'red');
    await sso.require(acme.owner, {
      ...{ method: 'PATCH', path: connection.path },
      body: { teams: [{ team_id: red.id, role_ids: [] }] },
    });
    const claims = acme.someone();
    const first = await connection.signIn(claims);
    const { id } = (await profileOf(first.visitor)).body;
    const { end } = await get(acme, id);

    expect((await connection.signIn(claims)).step.location).toBe(sso.refused('account_not_linked'));

    // The link has ended: only an Admin's connection can link the account again.
    await end();
    expect((await connection.signIn(claims)).step.location).toBe(sso.refused('account_not_linked'));
  },
);

test('an Admin who saves how a connection identifies people lets it sign in to accounts with more', async () => {
  const acme = await sso.organization();
  const connection = await acme.connect(await acme.addConfigurer());
  const claims = acme.someone();
  const { id } = (await profileOf((await connection.signIn(claims)).visitor)).body;
  await sso.require(acme.owner, {
    ...{ method: 'PATCH', path: `/api/organizations/${acme.id}/members/${id}` },
    body: { role_ids: [ADMIN] },
  });
  expect((await connection.signIn(claims)).step.location).toBe(sso.refused('account_not_linked'));

  const admin = await sso.join(acme.id, 'admin', [ADMIN]);
  const body = { attributes: { first_name: 'nickname' } };
  await sso.require(admin, { method: 'PATCH', path: connection.path, body });

  expect((await connection.signIn(claims)).step.location).toBe(sso.home);
});

test('an account that is linked through one connection is not linked through another one of the organization', async () => {
  const acme = await sso.organization();
  const ada = acme.someone();
  const { id } = (await profileOf((await acme.signIn(ada)).visitor)).body;
  const second = await acme.connect(acme.owner);
  const claims = { ...ada, sub: randomUUID() };

  expect((await second.signIn(claims)).step.location).toBe(sso.refused('account_not_linked'));

  await sso.require(acme.owner, {
    ...{ method: 'DELETE', path: `${acme.path}/connections/${acme.connection.id}` },
  });
  const { visitor } = await second.signIn(claims);
  expect((await profileOf(visitor)).body.id).toBe(id);
});

test('another person with the address of a linked account does not get it, until an Admin unlinks it', async () => {
  const acme = await sso.organization();
  const ada = acme.someone();
  const { visitor: former } = await acme.signIn(ada);
  const { id } = (await profileOf(former)).body;
  const successor = { ...ada, sub: randomUUID() };
  const notLinked = sso.refused('account_not_linked');

  expect((await acme.signIn(successor)).step.location).toBe(notLinked);

  const limited = await acme.addConfigurer();
  const path = `${acme.path}/connections/${acme.connection.id}/links/${id}`;
  const unlink = (who: SignedUp) => askPresent(who, { method: 'DELETE', path });
  expect(outcomeOf(await unlink(limited))).toEqual([403, 'permission_denied']);
  expect(outcomeOf(await unlink(acme.owner))).toEqual([204]);
  expect(outcomeOf(await unlink(acme.owner))).toEqual([404, 'not_found']);
  expect((await profileOf(former)).status).toBe(401);
  const { visitor } = await acme.signIn(successor);
  expect((await profileOf(visitor)).body.id).toBe(id);
  expect((await acme.signIn(ada)).step.location).toBe(notLinked);
});

test('an organization that verifies a domain which another gave up is not linked to accounts that the other one signs in', async () => {
  const [acme, other] = [await sso.organization(), await sso.organization()];
  const ada = acme.someone();
  await acme.signIn(ada);
  await sso.require(acme.owner, { method: 'DELETE', path: `${acme.path}/domains/${acme.domain}` });
  await other.verify(acme.domain);

  const { step } = await other.signIn(other.someone({ email: ada.email }));

  expect(step.location).toBe(sso.refused('account_not_linked'));
});

test('who creates an account through a connection that no Admin configured loses it to the person who signs in through one that an Admin did', async () => {
  const acme = await sso.organization();
  const limited = await acme.connect(await acme.addConfigurer());
  const cto = acme.someone();
  const { visitor: squatter } = await limited.signIn(cto);
  const { id } = (await profileOf(squatter)).body;
  const authenticator = createAuthenticator(sso.gateway.config.PUBLIC_URL);
  const bearer = { authorization: `Bearer ${squatter.jar.get('session')!.value}` };
  await addPasskey({ person: squatter.person, bearer }, authenticator);

  const { visitor } = await acme.signIn({ ...cto, sub: randomUUID() });

  expect((await profileOf(visitor)).body.id).toBe(id);
  expect((await profileOf(squatter)).status).toBe(401);
  const { token, options } = await passkeyOptions(sso.gateway);
  const response = authenticator.get(options);
  expect((await signInByPasskey(sso.gateway, { token, response })).status).toBe(401);
  expect((await limited.signIn(cto)).step.location).toBe(sso.refused('account_not_linked'));
});
