import { beforeEach, describe, expect, test } from 'vitest';
import { goodPassword, newEmail, signUp, tokenOf } from '../../../support/people/people.ts';
import {
  cookieOf,
  createThirdParty,
  profileOf,
  someone,
} from '../../../support/people/third-party.ts';
import type { Visitor } from '../../../support/people/visitor.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(createThirdParty());
beforeEach(() => {
  party.provider.deviations = {};
  party.provider.userinfo = {};
});

const signInAs = (person: Record<string, unknown>, visitor?: Visitor) =>
  party.signInAs(person, visitor);
const accountsOf = (email: string) =>
  party.world.query<{ id: string; password_hash: string | null }>(
    'SELECT id, password_hash FROM account WHERE email = $1',
    [email],
  );
const identitiesOf = (id: string) =>
  party.world.query('SELECT id FROM account_identity WHERE account_id = $1', [id]);

describe('a first sign-in', () => {
  test('creates a verified account without an e-mail step (spec: (none) → verified)', async () => {
    const ada = someone({ locale: 'de-CH' });

    const { visitor, step } = await signInAs(ada);

    expect([step.status, step.location]).toEqual([302, party.home]);
    const { status, body } = await profileOf(visitor);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        email: ada.email,
        verified: true,
        first_name: 'Ada',
        last_name: 'Lovelace',
        locale: 'de',
      }),
    ]);
    expect(party.world.mailbox.emails.filter(({ to }) => to === ada.email)).toEqual([]);
    const { rows } = await auditOf(body.id);
    expect(rows).toEqual([
      ['account.create', null],
      ['identity.link', { provider: 'oidc' }],
      ['session.create', { amr: ['fed'] }],
    ]);
  });

  test('creates a personal space, as every registration does', async () => {
    const { visitor } = await signInAs(someone());

    const { id } = (await profileOf(visitor)).body;
    const made = await visitor.person.ask<{ id: string }>({
      path: '/api/me/prompts',
      headers: { ...cookieOf(visitor), origin: party.gateway.config.PUBLIC_URL },
      body: { name: 'greet', messages: [{ role: 'user', content: 'Hello.' }] },
    });

    expect(made.status).toBe(201);
    expect(
      await party.world.query('SELECT space_id FROM item WHERE id = $1', [made.body.id]),
    ).toEqual([{ space_id: id }]);
  });

  test('leads to the same account as the next one, even if the provider’s address has changed', async () => {
    const ada = someone();
    const first = await signInAs(ada);
    const again = await signInAs({ ...ada, email: newEmail(), email_verified: false });

    const [one, other] = [await profileOf(first.visitor), await profileOf(again.visitor)];
    expect(other.body).toEqual(one.body);
    expect(await identitiesOf(one.body.id)).toHaveLength(1);
  });

  test.each([
    ['is not verified', { email_verified: false }],
    ['has email_verified as a string', { email_verified: 'true' }],
    ['has no email_verified claim', { email_verified: undefined }],
    ['is malformed', { email: 'ada at example' }],
    ['is missing', { email: undefined }],
  ])(
    'creates a verified account without an address if the provider’s address %s (decisions 9)',
    async (_case, change) => {
      const ada = someone(change);

      const { visitor } = await signInAs(ada);

      const { body } = await profileOf(visitor);
      expect(body).toMatchObject({ email: null, verified: true });
      expect(await accountsOf(ada.email)).toEqual([]);
    },
  );

  test('gets the address from userinfo if the ID token has none', async () => {
    const ada = someone();
    party.provider.userinfo = ada;

    const { visitor } = await signInAs({ sub: ada.sub });

    expect((await profileOf(visitor)).body.email).toBe(ada.email);
  });

  test.each([
    ['the claim', { locale: 'pt-BR' }, 'fr', 'pt'],
    ['Accept-Language', {}, 'xx, fr-CH;q=0.9, de;q=0.5', 'fr'],
    ['Accept-Language if the claim is invalid', { locale: 'pt_BR' }, 'nl', 'nl'],
    ['English', {}, 'xx', 'en'],
  ])('gets its language from %s (decisions 9)', async (_from, change, accept, locale) => {
    const visitor = party.visitor({ 'accept-language': accept });

    await signInAs(someone(change), visitor);

    expect((await profileOf(visitor)).body.locale).toBe(locale);
  });

  test('removes invalid characters from names', async () => {
    const name = `A\u202Ed\u0000a${'x'.repeat(200)}`;

    const { visitor } = await signInAs(someone({ given_name: name, family_name: { a: 1 } }));

    const { body } = await profileOf(visitor);
    expect(body.first_name).toMatch(/^Adax{90,}$/);
    expect(body.last_name).toBeNull();
  });

  test('creates one account if repeated twenty times at once (P7)', async () => {
    party.provider.person = someone();
    const { email } = party.provider.person as ReturnType<typeof someone>;
    const visitors = Array.from({ length: 20 }, () => party.visitor());
    const callbacks = await Promise.all(
      visitors.map((visitor) => visitor.signInAtProvider('oidc')),
    );

    const steps = await Promise.all(visitors.map((visitor, n) => visitor.go(callbacks[n]!)));

    expect(new Set(steps.map(({ location }) => location))).toEqual(new Set([party.home]));
    expect(await accountsOf(email)).toHaveLength(1);
    const ids = await Promise.all(
      visitors.map(async (visitor) => (await profileOf(visitor)).body.id),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await identitiesOf(ids[0]!)).toHaveLength(1);
  });
});

describe('a verified address', () => {
  test('is linked to the verified account that has it, with a notice (decisions 9)', async () => {
    const ada = await signUp(party.world, party.gateway);

    const { visitor } = await signInAs(someone({ email: ada.email.toUpperCase() }));

    expect((await profileOf(visitor)).body.id).toBe(ada.account_id);
    expect(await party.world.mailbox.next(ada.email)).toMatchObject({
      subject: 'New sign-in method added',
      text: expect.stringContaining('Example ID'),
    });
    const login = { email: ada.email, password: ada.password };
    const byPassword = await ada.person.ask({ path: '/api/auth/login', body: login });
    expect(byPassword.status).toBe(200);
  });

  test('is never linked unless the provider verified it (identity 8)', async () => {
    const ada = await signUp(party.world, party.gateway);

    const { visitor } = await signInAs(someone({ email: ada.email, email_verified: false }));

    const { body } = await profileOf(visitor);
    expect(body.id).not.toBe(ada.account_id);
    expect(body.email).toBeNull();
    expect(await identitiesOf(ada.account_id)).toEqual([]);
  });

  test('deletes passwords and links of its unverified registrations (decisions 9)', async () => {
    const person = party.visitor().person;
    const email = newEmail();
    await person.register({ email });
    const token = tokenOf(await party.world.mailbox.next(email));

    const { visitor } = await signInAs(someone({ email }));

    const { body } = await profileOf(visitor);
    expect(body).toMatchObject({ email, verified: true });
    const login = { email, password: goodPassword };
    expect((await person.ask({ path: '/api/auth/login', body: login })).status).toBe(401);
    const click = await person.ask({ path: '/api/auth/verify-email', body: { token } });
    expect(click.status).toBe(422);
    expect(await accountsOf(email)).toEqual([{ id: body.id, password_hash: null }]);
    expect(
      await party.world.query('SELECT id FROM registration WHERE email = $1', [email]),
    ).toEqual([]);
  });

  test('is not given to another account while it is reserved for its former owner', async () => {
    const ada = await signUp(party.world, party.gateway);
    const email = newEmail('former');
    await party.world.query('INSERT INTO email_reservation (email, account_id) VALUES ($1, $2)', [
      email,
      ada.account_id,
    ]);

    const { visitor } = await signInAs(someone({ email }));

    expect((await profileOf(visitor)).body).toMatchObject({ email: null, verified: true });
    expect(await identitiesOf(ada.account_id)).toEqual([]);
  });

  test('verified by link and by provider at once belongs to one account', async () => {
    for (let round = 0; round < 8; round += 1) {
      const visitor = party.visitor();
      const email = newEmail();
      await visitor.person.register({ email });
      const token = tokenOf(await party.world.mailbox.next(email));
      party.provider.person = someone({ email });
      const callback = await visitor.signInAtProvider('oidc');

      const [click, step] = await Promise.all([
        visitor.person.ask({ path: '/api/auth/verify-email', body: { token } }),
        visitor.go(callback),
      ]);

      expect([200, 422]).toContain(click.status);
      expect([step.status, step.location]).toEqual([302, party.home]);
      expect(await accountsOf(email)).toEqual([
        {
          id: (await profileOf(visitor)).body.id,
          password_hash: click.status === 200 ? expect.any(String) : null,
        },
      ]);
    }
  });
});

async function auditOf(account: string) {
  const rows = await party.world.query<{ action: string; detail: unknown }>(
    `SELECT action, detail FROM audit_event WHERE scope_id = $1 ORDER BY action = 'session.refuse', action, id`,
    [account],
  );
  return { rows: rows.map(({ action, detail }) => [action, detail]) };
}
