import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { askAs, createOrganization, outcomeOf } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import { createVisitor } from '../../support/people/visitor.ts';
import { sessionOf } from './ended-access.ts';
import type { Organization } from './ended-access.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld(({ env }) => env));

const refused = [403, 'own_sign_in_required'];

/** Signs up someone without a password, at a third party, with an address in the domain. */
async function signUpElsewhere({ domain }: Organization) {
  const email = `pat-${randomUUID().slice(0, 12)}@${domain}`;
  const claims = { sub: randomUUID(), email, email_verified: true, given_name: 'Pat' };
  const signIn = async (): Promise<SignedUp> => {
    sso.provider.person = claims;
    const visitor = createVisitor(sso.gateway.url);
    await visitor.signIn('oidc');
    return sessionOf(visitor, email);
  };
  return { pat: await signIn(), signIn };
}

/** Signs in at the identity provider of the organization, as anyone can who controls it. */
async function signInThrough(acme: Organization, { email }: SignedUp): Promise<SignedUp> {
  const { visitor } = await acme.signIn(acme.someone({ email }));
  return sessionOf(visitor, email);
}

/** Creates an Enterprise organization of the person, with a member. */
async function owned(owner: SignedUp) {
  const { id } = await createOrganization(owner, 'Own');
  await sso.gateway.service.organizations.setPlan(id, 'enterprise');
  const { account_id } = await sso.join(id, 'heir');
  return { path: `/api/organizations/${id}`, heir: account_id };
}

type Owned = Awaited<ReturnType<typeof owned>>;

const transfer = (who: SignedUp, { path, heir }: Owned) =>
  askAs<Errors>(who, { path: `${path}/transfer-ownership`, body: { account_id: heir } });
const remove = (who: SignedUp, { path }: Pick<Owned, 'path'>, confirm = 'Own') =>
  askAs<Errors>(who, { method: 'DELETE', path, body: { confirm } });

/** Tries what decides who may sign in to the organization, who owns it, and whether it exists. */
async function attempts(who: SignedUp, own: Owned) {
  const { path } = own;
  const body = { name: 'Theirs', protocol: 'oidc', oidc: sso.oidc };
  const asked = {
    domain: await askAs<Errors>(who, {
      path: `${path}/sso/domains`,
      body: { domain: 'x.example' },
    }),
    connection: await askAs<Errors>(who, { path: `${path}/sso/connections`, body }),
    directory: await askAs<Errors>(who, { path: `${path}/sso/scim-tokens`, body: { name: 'x' } }),
    transfer: await transfer(who, own),
    deletion: await remove(who, own),
  };
  return Object.values(asked).map(outcomeOf);
}

test('someone who controls the identity provider of one organization neither takes nor deletes another that a member without a password owns', async () => {
  const acme = await sso.organization();
  const { pat, signIn } = await signUpElsewhere(acme);
  const own = await owned(pat);
  const intruder = await signInThrough(acme, pat);
  expect(intruder.account_id).toBe(pat.account_id);

  expect(await attempts(intruder, own)).toEqual([refused, refused, refused, refused, refused]);

  const again = await signIn();
  expect(outcomeOf(await remove(again, own))).toEqual([204]);
});

test('the owner of an organization transfers it after leaving the one that could sign in to the account', async () => {
  const acme = await sso.organization();
  const { pat, signIn } = await signUpElsewhere(acme);
  const own = await owned(pat);
  const intruder = await signInThrough(acme, pat);
  expect(outcomeOf(await transfer(intruder, own))).toEqual(refused);
  const path = `/api/organizations/${acme.id}/members/${pat.account_id}`;
  expect(outcomeOf(await askAs<Errors>(pat, { method: 'DELETE', path }))).toEqual([204]);

  expect(outcomeOf(await transfer(await signIn(), own))).toEqual([204]);
});

test('a sign-in at the organization’s own identity provider proves presence there, although another organization can sign in too', async () => {
  const [acme, other] = [await sso.organization(), await sso.organization()];
  const { account_id, email } = acme.owner;
  await sso.joins.add(other.id, acme.owner);
  await sso.world.query(
    'INSERT INTO sso_access (organization_id, account_id, since) VALUES ($1, $2, now())',
    [other.id, account_id],
  );
  await sso.world.query('UPDATE account SET password_hash = NULL WHERE id = $1', [account_id]);

  const owner = await signInThrough(acme, acme.owner);

  expect(owner).toMatchObject({ account_id, email });
  const path = `/api/organizations/${acme.id}`;
  expect(outcomeOf(await remove(owner, { path }, 'Acme'))).toEqual([204]);
});

test('a person whose account an organization created owns and deletes other organizations with its sign-in', async () => {
  const acme = await sso.organization();
  const claims = acme.someone();
  const { visitor } = await acme.signIn(claims);
  const member = await sessionOf(visitor, claims.email);
  const own = await owned(member);

  expect(outcomeOf(await remove(member, own))).toEqual([204]);
});
