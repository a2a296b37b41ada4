import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPerson, newEmail, ownAddresses } from '../../support/people.ts';
import { createWorld } from '../../support/world.ts';
import type { Gateway, World } from '../../support/world.ts';
import { startMoodySmtp } from './moody-smtp.ts';
import type { Mood, MoodySmtp } from './moody-smtp.ts';

let world: World;
let smtp: MoodySmtp;
let gateway: Gateway;

beforeAll(async () => {
  smtp = await startMoodySmtp();
  world = await createWorld({ ...ownAddresses, SMTP_URL: smtp.url });
  gateway = await world.gateway();
});
afterAll(async () => {
  await world?.close();
  await smtp?.close();
});

interface Errors {
  errors: { code: string }[];
}
const counts = async () => {
  const [row] = await world.query<Record<string, string>>(
    `SELECT (SELECT count(*) FROM registration) AS registrations,
      (SELECT count(*) FROM mail_job) AS jobs, (SELECT count(*) FROM used_once) AS spent,
      (SELECT count(*) FROM mail_cooldown) AS cooldowns`,
  );
  return row;
};
const jobOf = async (email: string) => {
  const [job] = await world.query<{ outcome: string | null; attempts: number }>(
    'SELECT outcome, attempts FROM mail_job WHERE address = $1 ORDER BY id DESC LIMIT 1',
    [email],
  );
  return job;
};
const hasTried = (email: string) =>
  expect.poll(async () => (await jobOf(email))?.attempts, { timeout: 15_000 }).toBeGreaterThan(0);
const tryNow = (email: string) =>
  world.query('UPDATE mail_job SET run_at = now() WHERE address = $1', [email]);
/** Forms are open again and no letter of an earlier test is left. */
async function calm() {
  smtp.mood = 'well';
  await world.query('UPDATE mail_job SET run_at = now() WHERE outcome IS NULL');
  const waiting = () => world.query('SELECT FROM mail_job WHERE outcome IS NULL');
  await expect.poll(async () => (await waiting()).length, { timeout: 15_000 }).toBe(0);
  const open = async () => (await createPerson(gateway.url).ask({ path: '/health' })).body;
  await expect.poll(open, { timeout: 10_000 }).toEqual({ status: 'healthy' });
}
beforeEach(calm);

async function within(mood: Mood, work: () => Promise<void>) {
  smtp.mood = mood;
  // Longer than an answer of the check is kept.
  await wait(600);
  await work();
  await calm();
}

describe.each<Mood>(['refuses_connections', 'hangs', 'refuses_auth'])(
  'a mail server that %s (rel:F-S1, B4-12)',
  (mood) => {
    test('is 503: nothing saved, the captcha token serves again', async () => {
      const person = createPerson(gateway.url);
      const captcha_token = await person.captcha();
      const email = newEmail();

      await within(mood, async () => {
        const before = await counts();
        const registered = await person.register({ email, captcha_token });
        const resent = await person.ask<Errors>({
          path: '/api/auth/resend-verification',
          body: { email, captcha_token },
        });

        expect([registered.status, resent.status]).toEqual([503, 503]);
        expect((registered.body as unknown as Errors).errors[0]!.code).toBe('email_unavailable');
        expect(registered.headers.get('retry-after')).toBe('5');
        expect(await counts()).toEqual(before);
      });

      expect((await person.register({ email, captcha_token })).status).toBe(201);
    });
  },
);

test('400 and 422 come before the 503 of mail', async () => {
  await within('refuses_connections', async () => {
    const person = createPerson(gateway.url);

    expect((await person.register({ locale: 'eng' })).status).toBe(400);
    expect((await person.register({ captcha_token: 'x' })).status).toBe(422);
    expect((await person.register()).status).toBe(503);
  });
});

test('a recipient who is to be tried later is tried later: 201 all the same (rel:B4-13)', async () => {
  const email = newEmail();
  smtp.mood = 'recipient_later';
  expect((await createPerson(gateway.url).register({ email })).status).toBe(201);
  await hasTried(email);
  smtp.mood = 'well';
  await tryNow(email);

  await expect
    .poll(() => smtp.taken.filter((to) => to === email), { timeout: 15_000 })
    .toEqual([email]);
  await expect.poll(async () => (await jobOf(email))?.outcome).toBe('sent');
});

test('a recipient without a mailbox is not written to again, and the answer stays (rel:B4-13)', async () => {
  const email = newEmail();
  smtp.mood = 'recipient_never';
  const first = await createPerson(gateway.url).register({ email });
  await expect.poll(async () => (await jobOf(email))?.outcome).toBe('refused');
  smtp.mood = 'well';

  const second = await createPerson(gateway.url).register({ email });

  await expect.poll(async () => (await jobOf(email))?.outcome).toBe('suppressed');
  expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
  expect(smtp.taken).not.toContain(email);
});

test('a server that dies after DATA gets the letter at most twice (rel:F-S1)', async () => {
  const email = newEmail();
  smtp.mood = 'dies_after_data';
  expect((await createPerson(gateway.url).register({ email })).status).toBe(201);
  await hasTried(email);
  await expect.poll(() => smtp.taken.filter((to) => to === email).length).toBe(1);
  smtp.mood = 'well';
  await tryNow(email);

  await expect.poll(async () => (await jobOf(email))?.outcome, { timeout: 15_000 }).toBe('sent');
  expect(smtp.taken.filter((to) => to === email)).toHaveLength(2);
});

test('a worker that was killed leaves its letter to the next', async () => {
  const email = newEmail();
  smtp.mood = 'recipient_later';
  await createPerson(gateway.url).register({ email });
  await hasTried(email);
  smtp.mood = 'well';
  // As after SIGKILL: the job is still locked, by nobody.
  await world.query(
    `UPDATE mail_job SET run_at = now(), locked_until = now() + interval '1 second'
     WHERE address = $1`,
    [email],
  );

  await expect.poll(async () => (await jobOf(email))?.outcome, { timeout: 15_000 }).toBe('sent');
});
