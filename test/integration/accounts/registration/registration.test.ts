import { describe, expect, test } from 'vitest';
import {
  createPerson,
  goodPassword,
  newEmail,
  ownAddresses,
  signUp,
  tokenOf,
} from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const { url } = gateway;

const count = async (sql: string, values: unknown[] = []) =>
  Number((await world.query<{ count: string }>(`SELECT count(*) FROM ${sql}`, values))[0]!.count);

describe('registration', () => {
  test('sends an e-mail whose link, once clicked, lets the person sign in', async () => {
    const person = createPerson(url);
    const email = newEmail();

    const registered = await person.register({ email: email.toUpperCase(), locale: 'en-GB' });
    const message = await world.mailbox.next(email);
    const verify = { path: '/api/auth/verify-email', body: { token: tokenOf(message) } };
    const verified = await person.ask(verify);
    const login = { path: '/api/auth/login', body: { email, password: goodPassword } };
    const signedIn = await person.ask<{ user: object }>(login);

    expect(registered).toMatchObject({ status: 201, body: { status: 'verification_sent' } });
    expect(message).toMatchObject({
      subject: 'Confirm your e-mail address',
      headers: { 'auto-submitted': 'auto-generated', 'content-language': 'en' },
    });
    expect(message.html).toContain(tokenOf(message));
    expect(verified).toMatchObject({ status: 200, body: { status: 'verified' } });
    expect(signedIn).toMatchObject({
      status: 200,
      body: {
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 900,
        user: {
          email,
          first_name: 'Ada',
          last_name: 'Lovelace',
          locale: 'en',
          verified: true,
          plan: 'free',
        },
      },
    });
  });

  test('one captcha token sent ten times at once registers once (rel:B4-4, S8)', async () => {
    const person = createPerson(url);
    const captcha_token = await person.captcha();
    const before = await count('registration');

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => person.register({ captcha_token })),
    );
    const again = await person.register({ captcha_token });

    // A busy machine's hash queue may be full: 503, without spending the token.
    const [first, ...others] = answers.map((answer) => answer.status).toSorted((a, b) => a - b);
    expect(first).toBe(201);
    expect(others).toSatisfy((list: number[]) => list.every((one) => one === 422 || one === 503));
    expect(again.status).toBe(422);
    expect(await count('registration')).toBe(before + 1);
  });

  test('a known address gets the same response, and its owner an e-mail', async () => {
    const ada = await signUp(world, gateway);

    const known = await createPerson(url).register({ email: ada.email });
    const unknown = await createPerson(url).register();

    const message = await world.mailbox.next(ada.email);
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    expect(message.subject).toBe('You already have an account');
    expect(message.text).not.toContain('token=');
    // The registration is stored, or a sign-in attempt would reveal the account.
    expect(await count('registration WHERE email = $1', [ada.email])).toBe(1);
    const login = { email: ada.email, password: ada.password };
    expect((await ada.person.ask({ path: '/api/auth/login', body: login })).status).toBe(200);
  });

  test('no text that a person typed appears in an e-mail (rel:B4-5)', async () => {
    const email = newEmail();
    const spam = 'Buy at http://evil.example';

    await createPerson(url).register({ email, first_name: spam, last_name: spam });

    const message = await world.mailbox.next(email);
    expect(message.text + message.html + message.subject).not.toContain('evil');
  });

  test('an address gets at most six e-mails an hour', async () => {
    const email = newEmail();
    const answers = [];
    for (let round = 0; round < 8; round += 1)
      answers.push((await createPerson(url).register({ email })).status);

    await expect
      .poll(() => count('mail_job WHERE address = $1 AND outcome IS NOT NULL', [email]))
      .toBe(8);

    expect(answers).toEqual(Array(8).fill(201));
    expect(world.mailbox.emails.filter(({ to }) => to === email)).toHaveLength(6);
  });

  test('the twenty-first form from one address in an hour is refused with 429', async () => {
    const person = createPerson(url);
    const statuses = [];
    for (let round = 0; round < 21; round += 1)
      statuses.push((await person.register({ captcha_token: 'x' })).status);

    expect(statuses).toEqual([...Array(20).fill(422), 429]);
  });
});

test('expensive checks come after the limit: repeated guessable passwords are refused with 429', async () => {
  const { ask } = createPerson(gateway.url);
  const body = { email: newEmail(), password: 'password12345', locale: 'en', captcha_token: 'x' };

  const answers = [];
  for (let nth = 0; nth < 21; nth += 1)
    answers.push(await ask({ path: '/api/auth/register', body }));
  const short = await ask({ path: '/api/auth/register', body: { ...body, password: 'short' } });

  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(400), 429]);
  expect(short.status).toBe(400);
});
