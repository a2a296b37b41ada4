import { describe, expect, test } from 'vitest';
import { createPerson, newEmail, ownAddresses } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { createChanging } from '../accounts/email-change/changing-email.ts';

const { world, gateway } = await useGateway(ownAddresses);
const changing = createChanging(world, gateway);

/** Registers the address with an attacker's password, then tries to sign in with it. */
async function registerAndSignIn(email: string) {
  const password = 'quartz meadow tunnel 19';
  const person = createPerson(gateway.url);
  const signIn = () => person.ask<unknown>({ path: '/api/auth/login', body: { email, password } });
  const registered = await person.register({ email, password });
  const atOnce = await signIn();
  await changing.settled();
  const later = await signIn();
  return [registered, atOnce, later].map(({ status, body }) => [status, body]);
}

describe('registering an address and signing in does not reveal an account (decisions 2, 9; rel:24)', () => {
  test('if the address belongs to an account', async () => {
    const { email } = await changing.signUp('ada');
    expect(await registerAndSignIn(email)).toEqual(await registerAndSignIn(newEmail()));
  });

  test('if the address is reserved for its former owner', async () => {
    const ada = await changing.signUp('ada');
    await changing.move(ada, ada.email, newEmail('new'));
    expect(await registerAndSignIn(ada.email)).toEqual(await registerAndSignIn(newEmail()));
  });

  test('if the address belongs to a deactivated account', async () => {
    const ada = await changing.signUp('ada');
    await world.query(`UPDATE account SET status = 'deactivated' WHERE id = $1`, [ada.account_id]);
    expect(await registerAndSignIn(ada.email)).toEqual(await registerAndSignIn(newEmail()));
  });
});

describe('the registration of a known or reserved address', () => {
  const countRegistrations = (email: string) =>
    changing.count('registration WHERE email = $1', [email]);

  test.each(['resend-verification', 'password/reset'])(
    'gets no link if the address is reserved, not even through %s (decisions 9)',
    async (form) => {
      const ada = await changing.signUp('ada');
      await changing.move(ada, ada.email, newEmail('new'));
      const before = changing.emailsTo(ada.email);
      const person = createPerson(gateway.url);
      await person.register({ email: ada.email });
      const body = { email: ada.email, captcha_token: await person.captcha() };
      expect((await person.ask<unknown>({ path: `/api/auth/${form}`, body })).status).toBe(200);

      await changing.settled();
      expect(changing.emailsTo(ada.email)).toEqual(before);
      expect(await countRegistrations(ada.email)).toBe(1);
    },
  );

  test('never gives access to the account or locks its owner out', async () => {
    const ada = await changing.signUp('ada');
    const [status] = (await registerAndSignIn(ada.email)).at(-1)!;

    expect(status).toBe(401);
    expect((await changing.signIn(ada, ada.email)).status).toBe(200);
  });

  test('is deleted with the account, even for the account’s former addresses', async () => {
    const ada = await changing.signUp('ada');
    const email = newEmail('new');
    await changing.move(ada, ada.email, email);
    for (const address of [ada.email, email])
      await createPerson(gateway.url).register({ email: address });
    const signedIn = await createPerson(gateway.url).ask<{ access_token: string }>({
      path: '/api/auth/login',
      body: { email, password: ada.password },
    });

    const { status } = await ada.person.ask<unknown>({
      method: 'DELETE',
      path: '/api/user/account',
      headers: { authorization: `Bearer ${signedIn.body.access_token}` },
      body: { confirm: email, current_password: ada.password },
    });

    expect(status).toBe(204);
    expect(await countRegistrations(ada.email)).toBe(0);
    expect(await countRegistrations(email)).toBe(0);
  });
});
