import { describe, expect, test, vi } from 'vitest';
import { signUpGuarded } from '../../../support/people/factors.ts';
import {
  createPerson,
  goodPassword,
  newEmail,
  ownAddresses,
  signUp,
  tokenOf,
} from '../../../support/people/people.ts';
import type { Answer } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const { url } = gateway;
const ada = await signUp(world, gateway);

interface Errors {
  errors: { code: string; message: string }[];
}
const signIn = (email: string, password: string, person = createPerson(url)) =>
  person.ask<Errors>({ path: '/api/auth/login', body: { email, password } });
const profile = (headers: Record<string, string>) =>
  ada.person.ask<Errors>({ path: '/api/user/profile', headers });
const refresh = (cookie: string | undefined, headers: Record<string, string> = {}) =>
  ada.person.ask<{ access_token: string }>({
    method: 'POST',
    path: '/api/auth/refresh',
    headers: { ...(cookie === undefined ? {} : { cookie: `refresh=${cookie}` }), ...headers },
  });
const statuses = (answers: readonly Answer<unknown>[]) => answers.map(({ status }) => status);

/** Commits the change only once another transaction waits for its lock, such as a sign-in. */
const changeAccount = (id: string, change: string) =>
  world.query(`DO $$ BEGIN
    UPDATE account SET ${change} WHERE id = '${id}';
    FOR round IN 1..150 LOOP
      PERFORM pg_stat_clear_snapshot();
      EXIT WHEN EXISTS (SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock');
      PERFORM pg_sleep(0.01);
    END LOOP;
  END $$`);
const isLocked = async (id: string) => {
  const free = await world.query('SELECT FROM account WHERE id = $1 FOR UPDATE SKIP LOCKED', [id]);
  return free.length === 0;
};

describe('sign-in', () => {
  test('before verification is refused with 401, and the message says so only after the correct password (rel:B4-20)', async () => {
    const email = newEmail();
    await createPerson(url).register({ email });

    const right = await signIn(email, goodPassword);
    const wrong = await signIn(email, 'quartz meadow tunnel 19');
    const nobody = await signIn(newEmail(), goodPassword);

    expect(statuses([right, wrong, nobody])).toEqual([401, 401, 401]);
    expect(right.body.errors[0]).toMatchObject({
      code: 'authentication_error',
      message: expect.stringContaining('not verified'),
      detail: { pointer: '/email' },
    });
    expect(wrong.body.errors[0]!.code).toBe('authentication_error');
    expect(wrong.body).toEqual(nobody.body);
  });

  test('to a verified account with a wrong password looks like an unknown address (rel:B4-20)', async () => {
    const wrong = await signIn(ada.email, 'quartz meadow tunnel 19');
    const nobody = await signIn(newEmail(), 'quartz meadow tunnel 19');

    expect([wrong.status, wrong.body]).toEqual([401, nobody.body]);
    expect([...wrong.headers.keys()]).toEqual([...nobody.headers.keys()]);
  });

  test('accepts the address in any case', async () => {
    expect((await signIn(ada.email.toUpperCase(), ada.password)).status).toBe(200);
  });

  test.each([{ email: 5 }, { password: null }, { email: undefined }, { password: undefined }])(
    'with %j is rejected with 400',
    async (change) => {
      const body = { email: ada.email, password: ada.password, ...change };

      expect((await ada.person.ask({ path: '/api/auth/login', body })).status).toBe(400);
    },
  );

  test('to a deactivated account looks like a wrong password, and its sessions are refused', async () => {
    const ben = await signUp(world, gateway, 'ben');
    await world.query(`UPDATE account SET status = 'deactivated' WHERE id = $1`, [ben.account_id]);

    const answer = await signIn(ben.email, ben.password);

    expect([answer.status, answer.body]).toEqual([401, (await signIn(newEmail(), 'x')).body]);
    expect((await profile(ben.bearer)).status).toBe(401);
    expect((await refresh(ben.cookies.get('refresh'))).status).toBe(401);
  });

  describe.each([
    ['opens the account', signUp],
    ['is asked for a second factor', signUpGuarded],
  ])('with a password that %s', (_, begin) => {
    test.each([
      "status = 'deactivated'",
      "password_hash = 'another', sessions_ended = sessions_ended + 1",
    ])('is refused if the account changes to %s during the comparison', async (change) => {
      const { account_id, email, password } = await begin(world, gateway);
      const committed = changeAccount(account_id, change);
      await vi.waitFor(async () => expect(await isLocked(account_id)).toBe(true), 5_000);

      const answer = await signIn(email, password);

      await committed;
      expect([answer.status, answer.body]).toEqual([401, (await signIn(newEmail(), 'x')).body]);
      const started = await world.query(
        `SELECT account_id FROM account_session WHERE account_id = $1
         UNION ALL SELECT account_id FROM sign_in_challenge WHERE account_id = $1`,
        [account_id],
      );
      expect(started).toHaveLength(1);
    });
  });

  test('a correct password after concurrent wrong ones does not lift the limit: the eleventh is refused with 429 (rel:B4-22)', async () => {
    const thief = createPerson(url);
    const nobody = newEmail();

    const known = await Promise.all(
      Array.from({ length: 12 }, () => signIn(ada.email, 'quartz meadow tunnel 19', thief)),
    );
    const unknown = await Promise.all(
      Array.from({ length: 12 }, () => signIn(nobody, 'quartz meadow tunnel 19', thief)),
    );
    const right = await signIn(ada.email, ada.password, thief);

    const expected = [...Array(10).fill(401), 429, 429];
    expect(statuses(known).toSorted((a, b) => a - b)).toEqual(expected);
    expect(statuses(unknown).toSorted((a, b) => a - b)).toEqual(expected);
    expect(right.status).toBe(429);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
    // The owner, at another address, is not locked out.
    expect((await signIn(ada.email, ada.password)).status).toBe(200);
  });

  test('is not counted if it succeeds, however often', async () => {
    const person = createPerson(url);
    const answers = [];
    for (let round = 0; round < 12; round += 1)
      answers.push(await signIn(ada.email, ada.password, person));

    expect(statuses(answers)).toEqual(Array(12).fill(200));
  });

  test('from a foreign page is refused with 403, even without a cookie (rel:B6-1)', async () => {
    const body = { email: ada.email, password: ada.password };
    const from = (headers: Record<string, string>) =>
      ada.person.ask({ path: '/api/auth/login', body, headers });

    expect((await from({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await from({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await from({ origin: gateway.config.PUBLIC_URL })).status).toBe(200);
  });

  test('is audited with and without success, for unknown addresses too', async () => {
    const email = newEmail();
    const before = await audit();
    await signIn(email, 'quartz meadow tunnel 19');
    await signIn(ada.email, ada.password);

    const added = (await audit()).slice(before.length);
    expect(added).toEqual([
      { action: 'session.refuse', scope_id: null },
      { action: 'session.create', scope_id: ada.account_id },
    ]);
  });
  const audit = () =>
    world.query(
      `SELECT action, scope_id FROM audit_event WHERE action LIKE 'session.%' ORDER BY at, id`,
    );

  test('the audit is append-only', async () => {
    for (const statement of [
      `UPDATE audit_event SET action = 'x'`,
      'DELETE FROM audit_event',
      'TRUNCATE audit_event',
    ])
      await expect(world.query(statement)).rejects.toThrow('append-only');
  });
});

test('verifying does not sign in', async () => {
  const email = newEmail();
  const person = createPerson(url);
  await person.register({ email });
  const token = tokenOf(await world.mailbox.next(email));

  const answer = await person.ask({ path: '/api/auth/verify-email', body: { token } });

  expect([answer.status, answer.cookies.size]).toEqual([200, 0]);
});
