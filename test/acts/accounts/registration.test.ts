import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createPerson,
  goodPassword,
  newEmail,
  ownAddresses,
  signUp,
  tokenOf,
} from '../../support/people.ts';
import { createWorld } from '../../support/world.ts';
import type { Gateway, World } from '../../support/world.ts';

let world: World;
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  world = await createWorld(ownAddresses);
  gateway = await world.gateway();
  ({ url } = gateway);
});
afterAll(() => world?.close());

const codes = (answer: { body: unknown }) =>
  (answer.body as { errors: { code: string; detail: unknown }[] }).errors.map(({ code }) => code);
const count = async (sql: string, values: unknown[] = []) =>
  Number((await world.query<{ count: string }>(`SELECT count(*) FROM ${sql}`, values))[0]!.count);

describe('registration', () => {
  test('sends a letter whose link, once clicked, lets the person sign in', async () => {
    const person = createPerson(url);
    const email = newEmail();

    const registered = await person.register({ email: email.toUpperCase(), locale: 'en-GB' });
    const letter = await world.mailbox.next(email);
    const verify = { path: '/api/auth/verify-email', body: { token: tokenOf(letter) } };
    const verified = await person.ask(verify);
    const login = { path: '/api/auth/login', body: { email, password: goodPassword } };
    const signedIn = await person.ask<{ user: object }>(login);

    expect(registered).toMatchObject({ status: 201, body: { status: 'verification_sent' } });
    expect(letter).toMatchObject({
      subject: 'Confirm your e-mail address',
      headers: { 'auto-submitted': 'auto-generated', 'content-language': 'en' },
    });
    expect(letter.html).toContain(tokenOf(letter));
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

  test.each([
    [{ locale: undefined }, 'invalid_body'],
    [{ locale: 5 }, 'invalid_body'],
    [{ locale: 'eng' }, 'invalid_locale'],
    [{ email: 'ada' }, 'invalid_email'],
    [{ email: `ada@example.com\r\nBcc: eve@example.com` }, 'invalid_email'],
    [{ password: 'short' }, 'weak_password'],
    [{ password: 'password12345' }, 'weak_password'],
    [{ password: 'x'.repeat(1_000_000) }, 'weak_password'],
    [{ first_name: 'A\u0007da' }, 'invalid_name'],
    [{ captcha_token: 7 }, 'invalid_body'],
    [{ captcha_token: null }, 'invalid_body'],
  ])('with %.60j is 400 and saves nothing (rel:B4-1)', async (change, code) => {
    const before = await count('registration');

    const answer = await createPerson(url).register({ captcha_token: 'x', ...change });

    expect([answer.status, ...codes(answer)]).toEqual([400, code]);
    expect(await count('registration')).toBe(before);
  });

  test.each([undefined, '', 'garbage', Buffer.from('{}').toString('base64')])(
    'with the captcha %j is 422 (rel:B4-4)',
    async (captcha_token) => {
      const answer = await createPerson(url).register({ captcha_token });

      expect([answer.status, ...codes(answer)]).toEqual([422, 'captcha_failed']);
    },
  );

  test('an expired challenge is 422 (rel:B4-4)', async () => {
    const person = createPerson(url);
    const token = JSON.parse(Buffer.from(await person.captcha(), 'base64').toString());
    token.challenge.parameters.expiresAt -= 601;
    const captcha_token = Buffer.from(JSON.stringify(token)).toString('base64');

    expect((await person.register({ captcha_token })).status).toBe(422);
  });

  test('one captcha token sent ten times at once registers once (rel:B4-4, S8)', async () => {
    const person = createPerson(url);
    const captcha_token = await person.captcha();
    const before = await count('registration');

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => person.register({ captcha_token })),
    );
    const again = await person.register({ captcha_token });

    // A busy machine may refuse some for want of a place to hash: 503, with nothing spent.
    const [first, ...others] = answers.map((answer) => answer.status).toSorted((a, b) => a - b);
    expect(first).toBe(201);
    expect(others).toSatisfy((list: number[]) => list.every((one) => one === 422 || one === 503));
    expect(again.status).toBe(422);
    expect(await count('registration')).toBe(before + 1);
  });

  test('a known address gets the same answer, and its owner a letter', async () => {
    const ada = await signUp(world, gateway);

    const known = await createPerson(url).register({ email: ada.email });
    const unknown = await createPerson(url).register();

    const letter = await world.mailbox.next(ada.email);
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    expect(letter.subject).toBe('You already have an account');
    expect(letter.text).not.toContain('token=');
    expect(await count('registration WHERE email = $1', [ada.email])).toBe(0);
    const login = { email: ada.email, password: ada.password };
    expect((await ada.person.ask({ path: '/api/auth/login', body: login })).status).toBe(200);
  });

  test('nothing a person typed reaches a letter (rel:B4-5)', async () => {
    const email = newEmail();
    const spam = 'Buy at http://evil.example';

    await createPerson(url).register({ email, first_name: spam, last_name: spam });

    const letter = await world.mailbox.next(email);
    expect(letter.text + letter.html + letter.subject).not.toContain('evil');
  });

  test('an address gets six letters an hour, then silence', async () => {
    const email = newEmail();
    const answers = [];
    for (let round = 0; round < 8; round += 1)
      answers.push((await createPerson(url).register({ email })).status);

    await expect
      .poll(() => count('mail_job WHERE address = $1 AND outcome IS NOT NULL', [email]))
      .toBe(8);

    expect(answers).toEqual(Array(8).fill(201));
    expect(world.mailbox.letters.filter(({ to }) => to === email)).toHaveLength(6);
  });

  test('the twenty-first form of an hour from one address is 429', async () => {
    const person = createPerson(url);
    const statuses = [];
    for (let round = 0; round < 21; round += 1)
      statuses.push((await person.register({ captcha_token: 'x' })).status);

    expect(statuses).toEqual([...Array(20).fill(422), 429]);
  });
});

describe('a verification link', () => {
  async function registered(email = newEmail(), password = goodPassword) {
    await createPerson(url).register({ email, password });
    return { email, password, token: tokenOf(await world.mailbox.next(email)) };
  }
  const verify = (token: string) =>
    createPerson(url).ask({ path: '/api/auth/verify-email', body: { token } });
  const signIn = (email: string, password: string) =>
    createPerson(url).ask({ path: '/api/auth/login', body: { email, password } });
  const age = (interval: string, email: string) =>
    world.query(
      `UPDATE registration_link SET expires_at = expires_at - $1::interval WHERE email = $2`,
      [interval, email],
    );

  test('works until 24 hours after its sending (rel:B4-14)', async () => {
    const [young, old] = [await registered(), await registered()];
    await age('23 hours 59 minutes 30 seconds', young.email);
    await age('24 hours 1 second', old.email);

    const late = await verify(old.token);

    expect((await verify(young.token)).status).toBe(200);
    expect([late.status, ...codes(late)]).toEqual([422, 'token_invalid']);
    expect((await signIn(old.email, old.password)).status).toBe(401);
  });

  test('clicked twice, or forty times at once, has one effect (rel:B4-14)', async () => {
    const { email, token } = await registered();

    const clicks = await Promise.all(Array.from({ length: 40 }, () => verify(token)));
    const again = await verify(token);

    expect(clicks.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(again.status).toBe(200);
    expect(await count('account WHERE email = $1', [email])).toBe(1);
    const [account] = await world.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      email,
    ]);
    expect(
      await count(`audit_event WHERE scope_id = $1 AND action = 'account.verify'`, [account!.id]),
    ).toBe(1);
    expect(await count('authz_scope WHERE id = $1 AND applied = 1', [account!.id])).toBe(1);
  });

  test.each(['', 'x', 'A'.repeat(43)])('that is %j is 422', async (token) => {
    const answer = await verify(token);

    expect([answer.status, ...codes(answer)]).toEqual([422, 'token_invalid']);
  });

  test('activates the password of its own letter and no other', async () => {
    const first = await registered();
    const second = await registered(first.email, 'quartz meadow tunnel 19');

    await verify(first.token);

    expect((await verify(second.token)).status).toBe(422);
    expect((await signIn(first.email, first.password)).status).toBe(200);
    expect((await signIn(first.email, second.password)).status).toBe(401);
  });

  test('of two registrations clicked at once makes one account', async () => {
    const first = await registered();
    const second = await registered(first.email, 'quartz meadow tunnel 19');

    const answers = await Promise.all([verify(first.token), verify(second.token)]);

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
    const winner = answers[0].status === 200 ? first : second;
    expect((await signIn(first.email, winner.password)).status).toBe(200);
    expect(await count('registration WHERE email = $1', [first.email])).toBe(0);
  });

  test('opens a page whose GET consumes nothing', async () => {
    const { email, token } = await registered();

    const page = await fetch(`${url}/verify`);
    const script = await fetch(`${url}/verify.js`);

    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(await page.text()).toContain('<button');
    expect(script.headers.get('content-type')).toContain('text/javascript');
    expect((await fetch(`${url}/api/auth/verify-email?token=${token}`)).status).toBe(405);
    expect(await count('account WHERE email = $1', [email])).toBe(0);
  });

  test('no row holds it: the database has hashes alone', async () => {
    const { token } = await registered();
    const tables = ['registration_link', 'mail_job', 'registration', 'audit_event'];

    for (const table of tables) {
      const rows = await world.query(`SELECT t::text AS row FROM ${table} t`);
      expect(JSON.stringify(rows)).not.toContain(token);
    }
  });
});

describe('resend-verification', () => {
  const resend = async (email: string) => {
    const person = createPerson(url);
    const captcha_token = await person.captcha();
    return person.ask({ path: '/api/auth/resend-verification', body: { email, captcha_token } });
  };
  const settled = (email: string) =>
    expect
      .poll(() => count('mail_job WHERE address = $1 AND finished_at IS NULL', [email]))
      .toBe(0);
  const lettersTo = (email: string) =>
    world.mailbox.letters.filter(({ to }) => to === email).length;

  test('answers alike for every address and writes to an unverified one alone (rel:B4-10)', async () => {
    const ada = await signUp(world, gateway);
    const waiting = newEmail('ben');
    await createPerson(url).register({ email: waiting });
    await world.mailbox.next(waiting);
    const nobody = newEmail('nobody');

    const answers = [];
    for (const email of [ada.email, waiting, nobody]) answers.push(await resend(email));
    const again = await resend(waiting);

    for (const answer of [...answers, again])
      expect([answer.status, answer.body]).toEqual([200, { status: 'accepted' }]);
    const token = tokenOf(await world.mailbox.next(waiting));
    for (const email of [ada.email, waiting, nobody]) await settled(email);
    expect([ada.email, waiting, nobody].map(lettersTo)).toEqual([1, 2, 0]);
    const verify = { path: '/api/auth/verify-email', body: { token } };
    expect((await ada.person.ask(verify)).status).toBe(200);
  });

  test('sends one letter in five minutes, by database time (rel:B4-11)', async () => {
    const email = newEmail();
    await createPerson(url).register({ email });
    await world.mailbox.next(email);
    const back = (interval: string) =>
      world.query('UPDATE mail_cooldown SET sent_at = sent_at - $1::interval WHERE address = $2', [
        interval,
        email,
      ]);

    await Promise.all(Array.from({ length: 10 }, () => resend(email)));
    await settled(email);
    expect(lettersTo(email)).toBe(2);
    await back('4 minutes 50 seconds');
    await resend(email);
    await settled(email);
    expect(lettersTo(email)).toBe(2);
    await back('10 seconds');
    await resend(email);
    await settled(email);
    expect(lettersTo(email)).toBe(3);
  });

  test('of several registrations activates the password of none', async () => {
    const email = newEmail();
    const other = 'quartz meadow tunnel 19';
    await createPerson(url).register({ email });
    await createPerson(url).register({ email, password: other });
    await world.mailbox.next(email);
    await world.mailbox.next(email);

    await resend(email);
    const token = tokenOf(await world.mailbox.next(email));
    const person = createPerson(url);
    const verified = await person.ask({ path: '/api/auth/verify-email', body: { token } });

    expect(verified.status).toBe(200);
    for (const password of [goodPassword, other]) {
      const login = { path: '/api/auth/login', body: { email, password } };
      expect((await person.ask(login)).status).toBe(401);
    }
  });
});
