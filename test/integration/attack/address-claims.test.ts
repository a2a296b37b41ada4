import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { createPerson, newEmail, tokenOf } from '../../support/people/people.ts';
import { createThirdParty, someone } from '../../support/people/third-party.ts';
import { createChanging } from '../accounts/email-change/changing-email.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(createThirdParty());
const changing = createChanging(party.world, party.gateway);
const blocker = new pg.Client({ connectionString: party.world.env['DATABASE_URL']! });
await blocker.connect();
afterAll(async () => {
  await blocker?.end();
});

/** Registers the address; returns the token from its e-mail. */
async function register(email: string): Promise<string> {
  expect((await createPerson(party.gateway.url).register({ email })).status).toBe(201);
  return tokenOf(await party.world.mailbox.next(email));
}
const verify = async (token: string) => {
  const body = { token };
  const person = createPerson(party.gateway.url);
  return (await person.ask<unknown>({ path: '/api/auth/verify-email', body })).status;
};
const startProviderSignIn = async (email: string) => {
  party.provider.person = someone({ email });
  const visitor = party.visitor();
  const back = await visitor.signInAtProvider('oidc');
  return async () => (await visitor.go(back)).status;
};

type Claim = (email: string) => Promise<{ run(): Promise<number>; status: number }>;

/** Every way for an account to get an address that is also registered. */
const claims: [string, Claim][] = [
  [
    'a click on the link of a registration e-mail',
    async (email) => {
      const token = await register(email);
      return { run: () => verify(token), status: 200 };
    },
  ],
  [
    'the confirmation of an address change',
    async (email) => {
      await register(email);
      const link = await changing.linkFor(await changing.signUp('ada'), email);
      return { run: () => changing.confirm(link), status: 200 };
    },
  ],
  [
    'a provider that verifies the address',
    async (email) => {
      await register(email);
      return { run: await startProviderSignIn(email), status: 302 };
    },
  ],
];

/**
 * Runs the work while another transaction locks the address's registrations. The work must wait
 * without holding the lock on the address, which that transaction can still take.
 */
async function whileLocked(email: string, work: () => Promise<number>): Promise<number> {
  await blocker.query('BEGIN');
  await blocker.query('SELECT FROM registration WHERE email = $1 FOR UPDATE', [email]);
  const working = work();
  try {
    await expect
      .poll(() =>
        changing.count(
          `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        ),
      )
      .toBe(1);
    const free = `SELECT pg_try_advisory_xact_lock(hashtextextended('email:' || $1, 0)) AS is`;
    expect((await blocker.query(free, [email])).rows).toEqual([{ is: true }]);
  } finally {
    await blocker.query('COMMIT');
  }
  return working;
}

describe('claiming an address waits for its registrations before it locks the address', () => {
  test.each(claims)('%s', async (_how, prepare) => {
    const email = newEmail('wanted');
    const { run, status } = await prepare(email);

    expect(await whileLocked(email, run)).toBe(status);
    expect(await changing.count('account WHERE email = $1', [email])).toBe(1);
    expect(await changing.count('registration WHERE email = $1', [email])).toBe(0);
  });

  test('undoing a change, which restores a former address', async () => {
    const ada = await changing.signUp('ada');
    const back = await changing.move(ada, ada.email, newEmail('new'));
    await createPerson(party.gateway.url).register({ email: ada.email });

    expect(await whileLocked(ada.email, () => changing.undo(back))).toBe(200);
    expect(await changing.emailOf(ada)).toBe(ada.email);
  });
});

test('one of several concurrent claims gets the address, and the others are refused without a server error', async () => {
  for (let round = 0; round < 6; round += 1) {
    const email = newEmail('wanted');
    const token = await register(email);
    const link = await changing.linkFor(await changing.signUp('ada'), email);
    const finishSignIn = await startProviderSignIn(email);

    const [clicked, confirmed, signedIn] = await Promise.all([
      verify(token),
      changing.confirm(link),
      finishSignIn(),
    ]);

    expect([200, 422]).toContain(clicked);
    expect([200, 422]).toContain(confirmed);
    expect(signedIn).toBe(302);
    expect([clicked, confirmed]).not.toEqual([200, 200]);
    expect(await changing.count('account WHERE email = $1', [email])).toBe(1);
    expect(await changing.count('registration WHERE email = $1', [email])).toBe(0);
  }
});
