import { expect, test } from 'vitest';
import { issuerOf } from '../../../src/sso/connections/record.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { createDirectory, createToken, oktaUser } from '../../support/people/directory.ts';
import { askAs, askPresent, driftOf, outcomeOf } from '../../support/people/organizations.ts';
import { createKey, goodPassword, newEmail } from '../../support/people/people.ts';
import { interleaved } from '../../support/worlds/interleaved.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { recover } from '../../support/people/recovered.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import { all, createCredentials, createTraces, infiltrate, sessionOf } from './ended-access.ts';
import type { Organization } from './ended-access.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld(({ env }) => env));

const remove = (acme: Organization, by: SignedUp, { account_id }: SignedUp) =>
  sso.require(by, {
    ...{ method: 'DELETE', path: `/api/organizations/${acme.id}/members/${account_id}` },
  });

/** Returns the person as a user of the organization's directory. */
async function provision(acme: Organization, { email }: SignedUp) {
  const { token } = await createToken(acme.owner, acme.id);
  const directory = createDirectory(sso.gateway, `/scim/v2/${acme.id}`, token);
  const { status, body } = await directory.ask({ path: '/Users', body: oktaUser(email) });
  expect(status).toBe(201);
  return { directory, path: `/Users/${body.id}` };
}

const ends: [how: string, end: (acme: Organization, pat: SignedUp) => Promise<unknown>][] = [
  ['is removed', (acme, pat) => remove(acme, acme.owner, pat)],
  ['leaves', (acme, pat) => remove(acme, pat, pat)],
  [
    'is deactivated by the directory',
    async (acme, pat) => {
      const { directory, path } = await provision(acme, pat);
      const off = { op: 'replace', path: 'active', value: false };
      expect((await directory.patch(path, off)).status).toBe(200);
    },
  ],
  [
    'is deleted by the directory',
    async (acme, pat) => {
      const { directory, path } = await provision(acme, pat);
      expect((await directory.remove(path)).status).toBe(204);
    },
  ],
  [
    'was a member when the organization was deleted',
    ({ id, owner }) =>
      sso.require(owner, {
        ...{ method: 'DELETE', path: `/api/organizations/${id}`, body: { confirm: 'Acme' } },
      }),
  ],
];

test.each(ends)(
  'what someone who controls the identity provider added to the account of a person who %s works no more, and what the person had before does',
  async (how, end) => {
    const acme = await sso.organization();
    const { pat, own, added } = await infiltrate(sso, acme);
    expect([await own.works(), await added.works()]).toEqual([all(true), all(true)]);

    await end(acme, pat);

    expect(await added.works()).toEqual(all(false));
    // A directory ends all sessions.
    expect(await own.works()).toEqual({ ...all(true), session: !how.includes('directory') });
  },
);

test('unlinking the account, or deleting the connection, before the membership ends does not save what was added', async () => {
  const acme = await sso.organization();
  const connection = `${acme.path}/connections/${acme.connection.id}`;
  const unlinked = await infiltrate(sso, acme);
  await sso.require(acme.owner, {
    ...{ method: 'DELETE', path: `${connection}/links/${unlinked.pat.account_id}` },
  });
  const forgotten = await infiltrate(sso, acme);
  await sso.require(acme.owner, { method: 'DELETE', path: connection });
  expect(await unlinked.added.works()).toEqual({ ...all(true), session: false });
  expect(await forgotten.added.works()).toEqual(all(true));

  for (const { pat, own, added } of [unlinked, forgotten]) {
    await remove(acme, acme.owner, pat);

    expect(await added.works()).toEqual(all(false));
    expect(await own.works()).toMatchObject({ key_over_rest: true, passkey: true });
  }
});

test('a member who leaves in a session that someone who controls the identity provider opened does not keep it', async () => {
  const acme = await sso.organization();
  const { intruder, own, added } = await infiltrate(sso, acme);

  await remove(acme, intruder, intruder);

  expect(await added.works()).toEqual(all(false));
  expect(await own.works()).toEqual(all(true));
});

test('what a person adds after the membership has ended works, also when a membership ends in which no provider signed in', async () => {
  const acme = await sso.organization();
  const { pat, own } = await infiltrate(sso, acme);
  await remove(acme, acme.owner, pat);
  const later = await createTraces(sso)(pat);
  await sso.joins.add(acme.id, pat);

  await remove(acme, acme.owner, pat);

  expect(await later.works()).toEqual(all(true));
  expect(await own.works()).toEqual(all(true));
});

test('the keys and connections of a membership that has ended are revoked in the background, and no others', async () => {
  const acme = await sso.organization();
  const { pat } = await infiltrate(sso, acme);
  const list = async () => {
    const counts = [];
    for (const path of ['/api/keys', '/api/me/connections']) {
      const { body } = await askAs<{ data: unknown[] }>(pat, { path });
      counts.push(body.data.length);
    }
    return counts;
  };
  await remove(acme, acme.owner, pat);
  expect(await list()).toEqual([2, 2]);

  const support = await createConnectionsSupport(sso.world, sso.gateway);
  await support.keys.revokeEnded();
  await support.connections.revokeUnusable();
  await support.close();

  expect(await list()).toEqual([1, 1]);
  expect(await driftOf(sso.gateway)).toEqual([]);
});

test('a sign-in at the provider of an organization is no proof for setting a first password or another address, which would outlast the membership', async () => {
  const acme = await sso.organization();
  const { pat, intruder } = await infiltrate(sso, acme);
  const attempts = async (who: SignedUp) => [
    outcomeOf(await askAs(who, { path: '/api/user/email', body: { email: newEmail() } })),
    outcomeOf(await askAs(who, { path: '/api/user/password', body: { password: goodPassword } })),
  ];
  const refused = [403, 'own_sign_in_required'];

  expect(await attempts(intruder)).toEqual([refused, refused]);
  // A password is a proof that someone who controls the provider does not have.
  const mia = await acme.signUp('mia');
  await acme.signIn(acme.someone({ email: mia.email }));
  const body = { email: newEmail() };
  expect(outcomeOf(await askPresent(mia, { path: '/api/user/email', body }))).toEqual([202]);

  // The connection that says so is gone, and what it let someone add is not.
  await sso.require(acme.owner, {
    ...{ method: 'DELETE', path: `${acme.path}/connections/${acme.connection.id}` },
  });
  expect(await attempts(intruder)).toEqual([refused, refused]);

  await remove(acme, acme.owner, pat);
  expect(await attempts(pat)).toEqual([[202], [204]]);
});

test('a person whose account the organization created keeps nothing from then, and recovers it by e-mail', async () => {
  const acme = await sso.organization();
  const claims = acme.someone();
  const member = await sessionOf((await acme.signIn(claims)).visitor, claims.email);
  const added = await createTraces(sso)(member);

  await remove(acme, acme.owner, member);

  expect(await added.works()).toEqual(all(false));
  const recovered = await recover(sso.world, sso.gateway, member.email);
  expect(recovered.account_id).toBe(member.account_id);
  expect(await createKey(recovered)).toHaveProperty('secret');
});

test('a key or connection that is being made while the membership ends, in a session from before, works', async () => {
  const acme = await sso.organization();
  const credentials = createCredentials(sso);
  for (const make of [credentials.key, credentials.connection]) {
    const { pat } = await infiltrate(sso, acme);

    const [made] = await interleaved(
      sso.world,
      pat.account_id,
      () => make(pat),
      () => remove(acme, acme.owner, pat),
    );

    expect(await made.works()).toBe(true);
  }
});

test('the end is in the audit log of the account with what it ended, and an e-mail says that second factors were removed', async () => {
  const acme = await sso.organization();
  const { pat } = await infiltrate(sso, acme);

  await remove(acme, acme.owner, pat);

  const logged = await sso.world.query(
    `SELECT actor_id, units, detail FROM audit_event
     WHERE scope_id = $1 AND action = 'sso_access.end'`,
    [pat.account_id],
  );
  expect(logged).toEqual([
    {
      actor_id: acme.owner.account_id,
      units: [{ type: 'organization', id: acme.id }],
      detail: {
        ...{ since: expect.any(String), sessions: 1, identities: 2 },
        ...{ passkeys: 1, authenticator_apps: 0 },
      },
    },
  ]);
  const subject = 'Your two-factor authentication was changed';
  const sent = () =>
    sso.world.mailbox.emails.filter((email) => email.to === pat.email && email.subject === subject);
  // The person and the intruder have added a passkey each.
  await expect.poll(() => sent().length, { timeout: 10_000 }).toBe(3);
});

test('a membership ends although the clock of the database was set back since the first sign-in', async () => {
  const acme = await sso.organization();
  const mia = await acme.signUp('mia');
  await acme.signIn(acme.someone({ email: mia.email }));
  const later = `UPDATE sso_access SET since = now() + interval '1 hour' WHERE account_id = $1`;
  await sso.world.query(later, [mia.account_id]);

  await remove(acme, acme.owner, mia);

  const left = 'SELECT FROM sso_access WHERE account_id = $1';
  expect(await sso.world.query(left, [mia.account_id])).toEqual([]);
});

test('a user created inactive by the directory is not linked to the identity provider', async () => {
  const acme = await sso.organization();
  const mia = await acme.signUp('mia');
  // As a sign-in that made nobody a member left it in an earlier release.
  await sso.world.query(
    `INSERT INTO account_identity (id, account_id, provider, issuer, subject)
     VALUES (gen_random_uuid(), $1, 'sso', $2, 'mia')`,
    [mia.account_id, issuerOf(acme.connection.id)],
  );
  const linked = `SELECT FROM account_identity i JOIN sso_access o USING (account_id)
    WHERE account_id = $1`;
  expect(await sso.world.query(linked, [mia.account_id])).toHaveLength(1);
  const { token } = await createToken(acme.owner, acme.id);
  const directory = createDirectory(sso.gateway, `/scim/v2/${acme.id}`, token);
  const body = oktaUser(mia.email, { active: false });

  expect((await directory.ask({ path: '/Users', body })).status).toBe(201);

  const left = `SELECT account_id FROM account_identity WHERE account_id = $1
    UNION ALL SELECT account_id FROM sso_access WHERE account_id = $1`;
  expect(await sso.world.query(left, [mia.account_id])).toEqual([]);
});
