import { beforeEach, describe, expect, test } from 'vitest';
import { createPerson, newEmail } from '../../../support/people/people.ts';
import type { Answer } from '../../../support/people/people.ts';
import { createFaultyMailWorld, RESEND, RESET } from './faulty-mail-world.ts';
import type { Fault, SmtpStage } from './faulty-smtp.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const mailWorld = await closeAfterTests(createFaultyMailWorld());
beforeEach(() => mailWorld.clearFaults());

const codesOf = (answer: Answer<unknown>) =>
  (answer.body as { errors: { code: string }[] }).errors.map(({ code }) => code);
const counts = async () => {
  const [row] = await mailWorld.world.query<Record<string, string>>(
    `SELECT (SELECT count(*) FROM registration) AS registrations,
      (SELECT count(*) FROM mail_job) AS jobs, (SELECT count(*) FROM used_once) AS spent,
      (SELECT count(*) FROM mail_cooldown) AS cooldowns`,
  );
  return row;
};
const isSuppressed = async (email: string) =>
  (await mailWorld.world.query('SELECT FROM mail_suppression WHERE address = $1', [email]))
    .length === 1;
const cooldownsOf = (email: string) =>
  mailWorld.world.query('SELECT kind FROM mail_cooldown WHERE address = $1', [email]);

const conversations: [SmtpStage, Fault][] = (['greeting', 'EHLO', 'AUTH'] as const).flatMap((at) =>
  ([421, 554, 'hangs', 'drops'] as const).map((does): [SmtpStage, Fault] => [at, does]),
);

describe.each(conversations)(
  'a mail server with the fault at %s: %s (rel:F-S1, B4-12)',
  (at, does) => {
    test('makes every form respond 503: nothing is saved, and the captcha token stays valid', async () => {
      const person = createPerson(mailWorld.gateway.url);
      const captcha_token = await person.captcha();
      const email = newEmail();

      await mailWorld.within(at, does, async () => {
        const before = await counts();
        const answers: Answer<unknown>[] = [
          await person.register({ email, captcha_token }),
          await person.ask({ path: RESEND, body: { email, captcha_token } }),
          await person.ask({ path: RESET, body: { email, captcha_token } }),
        ];

        for (const answer of answers) {
          expect([answer.status, ...codesOf(answer)]).toEqual([503, 'email_unavailable']);
          expect(answer.headers.get('retry-after')).toBe('5');
        }
        expect(await counts()).toEqual(before);
      });

      expect((await person.register({ email, captcha_token })).status).toBe(201);
    });
  },
);

test('400 and 422 take precedence over the 503 for unavailable mail', async () => {
  await mailWorld.within('greeting', 421, async () => {
    const person = createPerson(mailWorld.gateway.url);

    expect((await person.register({ locale: 'eng' })).status).toBe(400);
    expect((await person.register({ captcha_token: 'x' })).status).toBe(422);
    expect((await person.register()).status).toBe(503);
  });
});

describe.each<SmtpStage>(['MAIL', 'RCPT', 'DATA', '.'])('an e-mail refused at %s', (at) => {
  test.each([421, 451] as const)(
    'with %i is retried later and sent once (rel:F-S1, B4-13)',
    async (code) => {
      const email = newEmail();
      mailWorld.smtp.fault = { at, does: code };
      expect((await createPerson(mailWorld.gateway.url).register({ email })).status).toBe(201);
      await mailWorld.hasTried(email);
      expect((await mailWorld.jobOf(email))?.outcome).toBeNull();
      mailWorld.smtp.fault = null;
      mailWorld.smtp.accepted.length = 0;
      await mailWorld.tryNow(email);

      await mailWorld.hasOutcome(email, 'sent');
      expect(mailWorld.acceptedFor(email)).toHaveLength(1);
      expect(await isSuppressed(email)).toBe(false);
    },
  );

  test.each([550, 551, 552, 553, 554] as const)(
    'with %i is given up; the address is suppressed only for a missing mailbox',
    async (code) => {
      const email = await mailWorld.registered();
      mailWorld.smtp.fault = { at, does: code };
      const { status, body } = await mailWorld.ask(RESEND, email);
      expect([status, body]).toEqual([200, { status: 'accepted' }]);

      await mailWorld.hasOutcome(email, 'refused');
      expect(await isSuppressed(email)).toBe(at === 'RCPT' && [550, 551, 553].includes(code));
      expect(await cooldownsOf(email)).toEqual([]);
    },
  );
});

test('a suppressed address gets no e-mail for seven days, and responses do not change (rel:B4-13)', async () => {
  const email = newEmail();
  mailWorld.smtp.fault = { at: 'RCPT', does: 550 };
  const first = await createPerson(mailWorld.gateway.url).register({ email });
  await mailWorld.hasOutcome(email, 'refused');
  mailWorld.smtp.fault = null;
  const [row] = await mailWorld.world.query<{ is_week: boolean }>(
    `SELECT until - now() BETWEEN '6 days 23 hours' AND '7 days' AS is_week
     FROM mail_suppression WHERE address = $1`,
    [email],
  );
  expect(row).toEqual({ is_week: true });

  const second = await createPerson(mailWorld.gateway.url).register({ email });
  await mailWorld.hasOutcome(email, 'suppressed');
  const repeated = [await mailWorld.ask(RESEND, email), await mailWorld.ask(RESET, email)];
  await mailWorld.clearFaults();

  expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
  for (const { status, body } of repeated)
    expect([status, body]).toEqual([200, { status: 'accepted' }]);
  expect(mailWorld.acceptedFor(email)).toEqual([]);
  expect(await cooldownsOf(email)).toEqual([]);
  await mailWorld.world.query('UPDATE mail_suppression SET until = now() WHERE address = $1', [
    email,
  ]);
  await mailWorld.ask(RESEND, email);
  await mailWorld.hasOutcome(email, 'sent');
});

test('after a permanent refusal, an e-mail of the same kind can be requested at once', async () => {
  const email = await mailWorld.registered();
  mailWorld.smtp.fault = { at: '.', does: 554 };
  await mailWorld.ask(RESEND, email);
  await mailWorld.hasOutcome(email, 'refused');
  mailWorld.smtp.fault = null;

  await mailWorld.ask(RESEND, email);
  await mailWorld.hasOutcome(email, 'sent');
  await mailWorld.ask(RESEND, email);
  await mailWorld.hasOutcome(email, 'dropped');
});

test.each([
  [RESEND, 24],
  [RESET, 1],
] as const)(
  '%s retries its e-mail for %i hours and then ends its cooldown',
  async (path, hours) => {
    const email = await mailWorld.registered();
    mailWorld.smtp.fault = { at: 'RCPT', does: 450 };
    await mailWorld.ask(path, email);
    await mailWorld.hasTried(email);
    const [row] = await mailWorld.world.query<{ hours: string }>(
      `SELECT extract(epoch FROM give_up_at - requested_at) / 3600 AS hours
     FROM mail_job WHERE address = $1 ORDER BY id DESC LIMIT 1`,
      [email],
    );
    expect(Number(row?.hours)).toBe(hours);
    await expect.poll(() => cooldownsOf(email)).toHaveLength(1);

    await mailWorld.world.query('UPDATE mail_job SET give_up_at = now() WHERE address = $1', [
      email,
    ]);
    await mailWorld.tryNow(email);

    await mailWorld.hasOutcome(email, 'expired');
    expect(await cooldownsOf(email)).toEqual([]);
  },
);
