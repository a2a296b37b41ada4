import { describe, expect, test } from 'vitest';
import {
  createPerson,
  goodPassword,
  newEmail,
  ownAddresses,
  tokenOf,
} from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const { url } = gateway;

const codes = (answer: { body: unknown }) =>
  (answer.body as { errors: { code: string; detail: unknown }[] }).errors.map(({ code }) => code);
const count = async (sql: string, values: unknown[] = []) =>
  Number((await world.query<{ count: string }>(`SELECT count(*) FROM ${sql}`, values))[0]!.count);

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

  test('works until 24 hours after it was sent (rel:B4-14)', async () => {
    const [before] = await world.query<{ now: Date }>('SELECT now() AS now');
    const [young, old] = [await registered(), await registered()];
    const [link] = await world.query<{ is_exact: boolean }>(
      `SELECT expires_at BETWEEN $1::timestamptz + interval '24 hours'
        AND now() + interval '24 hours' AS is_exact FROM registration_link WHERE email = $2`,
      [before!.now, young.email],
    );
    expect(link).toEqual({ is_exact: true });
    // Half a minute of tolerance for a busy machine.
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

  test('with one character changed, added or missing is refused with 422 (rel:B4-14)', async () => {
    const { token } = await registered();
    const other = (letter: string | undefined) => (letter === 'A' ? 'B' : 'A');
    const changed = Array.from(token, (letter, index) =>
      [token.slice(0, index), other(letter), token.slice(index + 1)].join(''),
    );

    for (const wrong of [
      ...changed,
      `${token}A`,
      token.slice(1),
      token.toUpperCase(),
      ` ${token}`,
    ]) {
      const answer = await verify(wrong);
      expect([answer.status, ...codes(answer)]).toEqual([422, 'token_invalid']);
    }
    expect((await verify(token)).status).toBe(200);
  });

  test('activates only the password of its own registration', async () => {
    const first = await registered();
    const second = await registered(first.email, 'quartz meadow tunnel 19');

    await verify(first.token);

    expect((await verify(second.token)).status).toBe(422);
    expect((await signIn(first.email, first.password)).status).toBe(200);
    expect((await signIn(first.email, second.password)).status).toBe(401);
  });

  test('creates the account from only one of two registrations that are clicked at once', async () => {
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
    const script = await fetch(`${url}/small-page.js`);

    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(await page.text()).toContain('<button');
    expect(script.headers.get('content-type')).toContain('text/javascript');
    expect((await fetch(`${url}/api/auth/verify-email?token=${token}`)).status).toBe(405);
    expect(await count('account WHERE email = $1', [email])).toBe(0);
  });

  test('is not stored in any row: the database has only hashes', async () => {
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
  test('activates no password if there are several registrations', async () => {
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
