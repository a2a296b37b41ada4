import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ADMIN, createRole, MEMBER } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import { sessionOf } from './ended-access.ts';
import type { Organization } from './ended-access.ts';
import { createImpersonation } from './impersonation.ts';
import type { Impersonated } from './impersonation.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

// What a connection let someone add to an account outlasts the link, the connection and the person who
// configured it.

const sso = await closeAfterTests(createSsoWorld());
const impersonation = createImpersonation(sso);

type Happening = (acme: Organization, account: Impersonated) => Promise<unknown>;

const edit = (who: SignedUp, { path }: { path: string }, body: object) =>
  sso.require(who, { method: 'PATCH', path, body });
const save = (who: SignedUp, connection: { path: string }) =>
  edit(who, connection, { attributes: { first_name: `name-${randomUUID()}` } });

const unlink: Happening = ({ owner }, { connection, account }) =>
  sso.require(owner, {
    ...{ method: 'DELETE', path: `${connection.path}/links/${account.account_id}` },
  });
const disconnect: Happening = ({ owner }, { connection: { path } }) =>
  sso.require(owner, { method: 'DELETE', path });
const pointElsewhere: Happening = ({ owner }, { connection }) =>
  edit(owner, connection, {
    oidc: { issuer: sso.provider.issuer.replace('127.0.0.1', 'localhost') },
  });

const ends: [what: string, happen: Happening][] = [
  ['its link has ended', unlink],
  ['the connection is deleted', disconnect],
  ['the connection is pointed at another provider', pointElsewhere],
];

async function setRoles(acme: Organization, account_id: string, role_ids: string[]) {
  const { status } = await impersonation.setRoles(acme, acme.owner, account_id, role_ids);
  expect(status).toBe(200);
}

describe('a passkey that someone who can only configure single sign-on added to an account that their connection created ends', () => {
  async function squat() {
    const acme = await sso.organization();
    const squatted = await impersonation.sign(acme, await acme.addConfigurer());
    return { acme, squatted, account_id: squatted.account.account_id };
  }

  /** Signs in through a connection that gives a role, and adds a passkey. */
  async function squatWithRole() {
    const acme = await sso.organization();
    const connection = await acme.connect(await acme.addConfigurer());
    const permissions = ['can_view_organization'];
    const role = await createRole(acme.owner, acme.id, { name: 'Staff', permissions });
    await edit(acme.owner, connection, { role_ids: [MEMBER, role.id] });
    const claims = acme.someone();
    const { visitor } = await connection.signIn(claims);
    const account = await sessionOf(visitor, claims.email);
    const signsIn = await impersonation.leavePasskey(account);
    return { acme, role, connection, claims, account, signsIn };
  }

  test.each<[what: string, happen: Happening]>([
    ...ends,
    ['an Admin has saved the connection', (acme, { connection }) => save(acme.owner, connection)],
    [
      'an Admin has saved the connection, which gives the role by now',
      async (acme, { connection }) => {
        await save(acme.owner, connection);
        await edit(acme.owner, connection, { role_ids: [ADMIN] });
      },
    ],
  ])('when it is made an Admin, although %s', async (_, happen) => {
    const { acme, squatted, account_id } = await squat();
    const signsIn = await impersonation.leavePasskey(squatted.account);
    await happen(acme, squatted);
    expect(await signsIn()).toBe(true);

    await setRoles(acme, account_id, [ADMIN]);

    expect(await signsIn()).toBe(false);
  });

  test.each<[what: string, happen: Happening]>([
    ...ends,
    ['an Admin has saved the connection', (acme, { connection }) => save(acme.owner, connection)],
  ])('when its role gets more, although %s', async (_, happen) => {
    const { acme, role, signsIn, ...squatted } = await squatWithRole();
    await happen(acme, squatted);
    expect(await signsIn()).toBe(true);

    await edit(
      acme.owner,
      { path: `/api/organizations/${acme.id}/roles/${role.id}` },
      { permissions: [...role.permissions, 'can_update_organization_members'] },
    );

    expect(await signsIn()).toBe(false);
  });

  test.each(ends)(
    'when its person signs in through an Admin’s connection, although %s',
    async (_, happen) => {
      const { acme, squatted, account_id } = await squat();
      const signsIn = await impersonation.leavePasskey(squatted.account);
      await happen(acme, squatted);
      expect(await signsIn()).toBe(true);

      const { visitor } = await acme.signIn({ ...squatted.claims, sub: randomUUID() });

      expect((await sessionOf(visitor, squatted.claims.email)).account_id).toBe(account_id);
      expect(await signsIn()).toBe(false);
    },
  );

  test('only with a change that gives the account more', async () => {
    const { acme, account, signsIn, connection } = await squatWithRole();
    await save(acme.owner, connection);

    await setRoles(acme, account.account_id, [MEMBER]);

    expect(await signsIn()).toBe(true);
  });
});

describe('a passkey that an Admin added to an account through their connection ends when it is made the Owner', () => {
  test.each<[what: string, happen: Happening]>([
    ...ends,
    [
      'the account, as an Admin, has saved the connection',
      async (acme, { account, connection }) => {
        await setRoles(acme, account.account_id, [ADMIN]);
        await save(account, connection);
      },
    ],
  ])('although %s', async (_, happen) => {
    const acme = await sso.organization();
    const admin = await sso.join(acme.id, 'admin', [ADMIN]);
    const heir = await impersonation.sign(acme, admin);
    const signsIn = await impersonation.leavePasskey(heir.account);
    await happen(acme, heir);
    expect(await signsIn()).toBe(true);

    await impersonation.transfer(acme, heir.account.account_id);

    expect(await signsIn()).toBe(false);
  });

  test('although the account configured the connection before and after the Admin', async () => {
    const { acme, mia, connection, claims } = await connected();
    const admin = await sso.join(acme.id, 'admin', [ADMIN]);
    await save(admin, connection);
    const intruder = await sessionOf((await connection.signIn(claims)).visitor, mia.email);
    expect(intruder.account_id).toBe(mia.account_id);
    const signsIn = await impersonation.leavePasskey(intruder);
    await save(mia, connection);
    expect(await signsIn()).toBe(true);

    await impersonation.transfer(acme, mia.account_id);

    expect(await signsIn()).toBe(false);
  });
});

/** Signs in an Admin without a password through a connection that they configured. */
async function connected() {
  const acme = await sso.organization();
  const mia = { ...(await acme.signUp('mia')), password: '' };
  await sso.world.query('UPDATE account SET password_hash = NULL WHERE id = $1', [mia.account_id]);
  await sso.joins.add(acme.id, mia, [ADMIN]);
  const connection = await acme.connect(mia);
  const claims = acme.someone({ email: mia.email });
  expect((await connection.signIn(claims)).step.location).toBe(sso.home);
  return { acme, mia, connection, claims };
}

test('a new Owner keeps what was added to an account that only their own connection has signed in to', async () => {
  const { acme, mia, connection, claims } = await connected();
  const signsIn = await impersonation.leavePasskey(mia);

  await impersonation.transfer(acme, mia.account_id);

  expect(await signsIn()).toBe(true);
  expect((await connection.signIn(claims)).step.location).toBe(sso.home);
});

test('a new Owner keeps what was added before another person pointed their connection at another provider, which has not signed in to the account', async () => {
  const { acme, mia, connection, claims } = await connected();
  const signsIn = await impersonation.leavePasskey(mia);
  await pointElsewhere(acme, { connection, claims, account: mia });

  await impersonation.transfer(acme, mia.account_id);

  expect(await signsIn()).toBe(true);
});

test('an Owner keeps what they added when they get more, although an Admin has saved the connection, which cannot sign in to their account then', async () => {
  const acme = await sso.organization();
  const admin = await sso.join(acme.id, 'admin', [ADMIN]);
  const connection = await acme.connect(acme.owner);
  await connection.signIn(acme.someone({ email: acme.owner.email }));
  const signsIn = await impersonation.leavePasskey(acme.owner);
  await save(admin, connection);
  const other = await sso.organization();

  await sso.joins.add(other.id, acme.owner);

  expect(await signsIn()).toBe(true);
});
