import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createPerson,
  newEmail,
  ownAddresses,
  signUp,
  tokenOf,
} from '../../../support/people/people.ts';
import type { Answer } from '../../../support/people/people.ts';
import { removePassword } from '../../../support/people/without-password.ts';
import { createQuickCaptcha } from '../../../support/people/quick-captcha.ts';
import type { QuickCaptcha } from '../../../support/people/quick-captcha.ts';
import { createProxy } from '../../../support/servers/proxy.ts';
import type { Proxy } from '../../../support/servers/proxy.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import type { Gateway, World } from '../../../support/worlds/world.ts';
import { checkProperty, scaledTimeout } from '../../properties/trials.ts';

let world: World;
let gateway: Gateway;
/** TCP proxy in front of the mail server. */
let mailLine: Proxy;
let quick: QuickCaptcha;
beforeAll(async () => {
  world = await createWorld(ownAddresses);
  quick = createQuickCaptcha(world.env);
  mailLine = await createProxy(world.mailbox.url);
  gateway = await world.gateway({
    env: { SMTP_URL: mailLine.url },
    overrides: { captcha: quick.captcha },
  });
});
afterAll(async () => {
  await world?.close();
  await mailLine?.close();
});

type State = keyof typeof states;
/** Creates an address in each state an account can have, through the API where possible. */
const states = {
  unknown: async () => newEmail(),
  unverified,
  'registered twice': async () => {
    const email = newEmail();
    await register(email);
    await register(email);
    return email;
  },
  verified: async () => (await signUp(world, gateway)).email,
  suppressed: async () => {
    const { email } = await signUp(world, gateway);
    await world.query(`INSERT INTO mail_suppression VALUES ($1, now() + interval '7 days')`, [
      email,
    ]);
    return email;
  },
  'unverified and suppressed': async () => {
    const email = await unverified();
    await world.query(`INSERT INTO mail_suppression VALUES ($1, now() + interval '7 days')`, [
      email,
    ]);
    return email;
  },
  passwordless: async () => {
    const { account_id, email } = await signUp(world, gateway);
    await removePassword(world, account_id);
    return email;
  },
  deactivated: async () => {
    const { email } = await signUp(world, gateway);
    await world.query(`UPDATE account SET status = 'deactivated' WHERE email = $1`, [email]);
    return email;
  },
  reserved: async () => {
    const { account_id } = await signUp(world, gateway);
    const email = newEmail();
    await world.query('INSERT INTO email_reservation (email, account_id) VALUES ($1, $2)', [
      email,
      account_id,
    ]);
    return email;
  },
  'cooling down': async () => {
    const email = await unverified();
    for (const { path } of forms) await ask(path, email);
    await settled(email);
    return email;
  },
} satisfies Record<string, () => Promise<string>>;
const stateNames = Object.keys(states) as State[];

async function unverified(): Promise<string> {
  const email = newEmail();
  await register(email);
  return email;
}

/** Forms that request an e-mail, and the states in which they send one. */
const forms: { path: string; kind: string; sendsFor: readonly State[] }[] = [
  {
    path: '/api/auth/resend-verification',
    kind: 'resend',
    sendsFor: ['unverified', 'registered twice'],
  },
  {
    path: '/api/auth/password/reset',
    kind: 'reset',
    sendsFor: ['unverified', 'registered twice', 'verified'],
  },
];

async function register(email: string): Promise<void> {
  const person = createPerson(gateway.url);
  const { status } = await person.register({ email, captcha_token: await quick.token() });
  expect(status).toBe(201);
  await world.mailbox.next(email);
}

async function ask(path: string, email: string, token?: string): Promise<Answer> {
  const captcha_token = token ?? (await quick.token());
  return createPerson(gateway.url).ask({ path, body: { email, captcha_token } });
}

const settled = (email: string) =>
  expect
    .poll(
      () => world.query('SELECT FROM mail_job WHERE address = $1 AND outcome IS NULL', [email]),
      { timeout: 20_000 },
    )
    .toEqual([]);
const allSettled = () =>
  expect
    .poll(() => world.query('SELECT FROM mail_job WHERE outcome IS NULL'), { timeout: 20_000 })
    .toEqual([]);
const emailsTo = (email: string) => world.mailbox.emails.filter(({ to }) => to === email);
/** Returns the response without per-request headers, for comparison. */
const comparable = ({ status, body, headers }: Answer<unknown>) => ({
  status,
  body: JSON.stringify(body),
  headers: [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date'),
});

describe.each(forms)('$path', ({ path, kind, sendsFor }) => {
  test.each(stateNames)(
    'responds 200 for an address that is %s as for any other, and sends an e-mail only where allowed (rel:B4-10)',
    async (state) => {
      const email = await states[state]();
      const before = emailsTo(email).length;

      const answer = await ask(path, email);
      const usual = await ask(path, newEmail());

      expect(comparable(answer)).toEqual(comparable(usual));
      expect([answer.status, answer.body]).toEqual([200, { status: 'accepted' }]);
      await settled(email);
      expect(emailsTo(email).length - before).toBe(sendsFor.includes(state) ? 1 : 0);
    },
  );

  test('responds 503 in every state while mail is down: no row, no cooldown, captcha unspent (rel:B4-12)', async () => {
    const asking = await Promise.all(
      stateNames.map(async (state) => ({
        email: await states[state](),
        token: await quick.token(),
      })),
    );
    const saved = () =>
      world.query(
        `SELECT (SELECT count(*) FROM mail_job) AS jobs, (SELECT count(*) FROM used_once) AS spent,
          (SELECT count(*) FROM mail_cooldown) AS cooldowns`,
      );
    const askAll = () =>
      Promise.all(asking.map(({ email, token }) => ask(path, email, token).then(comparable)));
    await allSettled();
    const before = await saved();

    mailLine.down();
    // Longer than the check is cached.
    await wait(600);
    const refused = await askAll();
    const after = await saved();
    mailLine.pass();
    const isOpen = async () => (await ask(path, newEmail())).status;
    await expect.poll(isOpen, { timeout: 20_000, interval: 500 }).toBe(200);
    const accepted = await askAll();

    expect(refused[0]!.status).toBe(503);
    expect(refused).toEqual(Array(asking.length).fill(refused[0]));
    expect(after).toEqual(before);
    expect(accepted.map(({ status }) => status)).toEqual(Array(asking.length).fill(200));
  });

  test('requested fifty times at once sends one e-mail (rel:B4-11)', async () => {
    const email = await unverified();

    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(path, email)));

    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    await settled(email);
    expect(emailsTo(email)).toHaveLength(2);
  });

  test.each([
    ['4 minutes 59.999 seconds', 0],
    ['5 minutes', 1],
  ])('requested again after %s sends %i e-mails (rel:B4-11)', async (after, times) => {
    const email = await unverified();
    await ask(path, email);
    await settled(email);
    // Sets the request time to the microsecond: the cooldown uses the row's time.
    await world.query(`CREATE OR REPLACE FUNCTION ask_later() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        SELECT sent_at + interval '${after}' INTO NEW.requested_at FROM mail_cooldown
          WHERE address = NEW.address AND kind = '${kind}';
        RETURN NEW;
      END $$`);
    await world.query(`CREATE TRIGGER later BEFORE INSERT ON mail_job FOR EACH ROW
      WHEN (NEW.address = '${email}') EXECUTE FUNCTION ask_later()`);
    const before = emailsTo(email).length;

    const answer = await ask(path, email);

    await settled(email);
    await world.query('DROP FUNCTION ask_later CASCADE');
    expect([answer.status, answer.body]).toEqual([200, { status: 'accepted' }]);
    expect(emailsTo(email).length - before).toBe(times);
  });

  test(
    "responds the same regardless of the account's state (P19)",
    { timeout: scaledTimeout(90_000) },
    async () => {
      const emails: string[] = [];
      for (const state of stateNames) emails.push(await states[state]());
      const usual = comparable(await ask(path, newEmail()));
      expect(usual.status).toBe(200);
      const spelling = fc.constantFrom(
        (email: string) => email,
        (email: string) => email.toUpperCase(),
        (email: string) => email.replace('@', '+tag@'),
      );

      await checkProperty(
        300,
        fc.asyncProperty(
          fc.constantFrom(...emails),
          spelling,
          fc.integer({ min: 1, max: 3 }),
          async (email, spell, times) => {
            const answers = Array.from({ length: times }, () => ask(path, spell(email)));
            for (const answer of await Promise.all(answers))
              expect(comparable(answer)).toEqual(usual);
          },
        ),
      );
    },
  );
});

test('the links of both e-mails verify, even one after the other (rel:B4-14)', async () => {
  const email = newEmail();
  const person = createPerson(gateway.url);
  await person.register({ email, captcha_token: await quick.token() });
  const older = tokenOf(await world.mailbox.next(email));
  await ask('/api/auth/resend-verification', email);
  const newer = tokenOf(await world.mailbox.next(email));
  const verify = (token: string) => person.ask({ path: '/api/auth/verify-email', body: { token } });

  expect((await verify(older)).status).toBe(200);
  expect((await verify(newer)).status).toBe(200);
  const accounts = await world.query('SELECT FROM account WHERE email = $1', [email]);
  expect(accounts).toHaveLength(1);
});
