import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  createPerson,
  goodPassword,
  newEmail,
  ownAddresses,
  signUp,
} from '../../../support/people/people.ts';
import { useWorld } from '../../../support/worlds/world.ts';
import { startProcess } from '../../processes/gateway-process.ts';
import { createFaultyMailWorld, RESET } from './faulty-mail-world.ts';
import { startFaultySmtp } from './faulty-smtp.ts';
import type { Fault } from './faulty-smtp.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const mailWorld = await closeAfterTests(createFaultyMailWorld());
beforeEach(() => mailWorld.clearFaults());

describe.each<Fault>(['drops', 'hangs'])(
  'a mail server that accepts the e-mail and then %s',
  (does) => {
    test('gets it at most twice, with the same Message-ID and link (rel:F-S1)', async () => {
      const email = newEmail();
      mailWorld.smtp.fault = { at: '.', does };
      expect((await createPerson(mailWorld.gateway.url).register({ email })).status).toBe(201);
      await expect.poll(() => mailWorld.acceptedFor(email).length, { timeout: 15_000 }).toBe(1);
      await mailWorld.isUnlocked(email);
      mailWorld.smtp.fault = null;
      await mailWorld.tryNow(email);

      await mailWorld.hasOutcome(email, 'sent');
      const [first, second, ...more] = mailWorld.acceptedFor(email);
      expect(first?.id).toMatch(/^<[\w-]{36}@[\w.]+>$/);
      expect([second, more]).toEqual([first, []]);
      const verify = { path: '/api/auth/verify-email', body: { token: first?.token } };
      expect((await createPerson(mailWorld.gateway.url).ask(verify)).status).toBe(200);
    });
  },
);

describe('a reset e-mail that arrived twice', () => {
  async function arrived() {
    const ada = await signUpHere();
    mailWorld.smtp.fault = { at: '.', does: 'drops' };
    await mailWorld.ask(RESET, ada);
    await expect.poll(() => mailWorld.acceptedFor(ada).length, { timeout: 15_000 }).toBe(2);
    await mailWorld.isUnlocked(ada);
    mailWorld.smtp.fault = null;
    return { email: ada, token: mailWorld.acceptedFor(ada).at(-1)!.token };
  }
  /** Registers and verifies an account; this world's e-mails go to the fault-injecting server. */
  async function signUpHere() {
    const mailbox = {
      emails: [],
      async next(email: string) {
        await mailWorld.hasOutcome(email, 'sent');
        const text = `/verify#token=${mailWorld.acceptedFor(email)[0]!.token}`;
        return { to: email, subject: '', text, html: '', headers: {} };
      },
      url: '',
      close: async () => {},
    };
    return (await signUp({ mailbox }, mailWorld.gateway)).email;
  }
  const confirm = (token: string) =>
    createPerson(mailWorld.gateway.url).ask({
      path: `${RESET}/confirm`,
      body: { token, password: 'quartz meadow tunnel 19' },
    });

  test('works with the first copy', async () => {
    const { email, token } = await arrived();
    await mailWorld.tryNow(email);
    await mailWorld.hasOutcome(email, 'sent');

    expect(mailWorld.acceptedFor(email).at(-1)?.token).toBe(token);
    expect((await confirm(token)).status).toBe(200);
    expect((await confirm(token)).status).toBe(422);
  });

  test('is not sent again once its link was used, and the link stays used (S8)', async () => {
    const { email, token } = await arrived();
    expect((await confirm(token)).status).toBe(200);
    const reset = `SELECT outcome FROM mail_job WHERE address = $1 AND kind = 'reset'`;
    await mailWorld.tryNow(email);

    await expect
      .poll(() => mailWorld.world.query(reset, [email]), { timeout: 15_000 })
      .toEqual([{ outcome: 'dropped' }]);
    expect((await confirm(token)).status).toBe(422);
    const login = { path: '/api/auth/login', body: { email, password: goodPassword } };
    expect((await createPerson(mailWorld.gateway.url).ask(login)).status).toBe(401);
  });
});

test("killing a gateway between an e-mail's acceptance and its row leaves one more copy (rel:F-S1)", async () => {
  const smtp = await startFaultySmtp();
  onTestFinished(() => smtp.close());
  const world = await useWorld({ ...ownAddresses, SMTP_URL: smtp.url });
  const doomed = await startProcess({ ...world.env, LOG_LEVEL: 'silent' });
  const email = newEmail();
  smtp.onAccepted = () => void doomed.child.kill('SIGKILL');

  await createPerson(doomed.url)
    .register({ email })
    .catch(() => {});
  await doomed.ended;
  smtp.onAccepted = () => {};
  const waiting = await world.query('SELECT outcome FROM mail_job');
  await world.query("UPDATE mail_job SET locked_until = now() + interval '1 second'");
  const { url } = await world.gateway();
  const done = () => world.query('SELECT outcome FROM mail_job');

  expect(waiting).toEqual([{ outcome: null }]);
  await expect.poll(done, { timeout: 15_000 }).toEqual([{ outcome: 'sent' }]);
  const [first, second, ...more] = smtp.accepted;
  expect([second, more]).toEqual([first, []]);
  const verify = { path: '/api/auth/verify-email', body: { token: first?.token } };
  expect((await createPerson(url).ask(verify)).status).toBe(200);
});
