import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { createPerson, newEmail, ownAddresses } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import { startFaultySmtp } from './faulty-smtp.ts';
import type { Fault, SmtpStage } from './faulty-smtp.ts';

export const RESEND = '/api/auth/resend-verification';
export const RESET = '/api/auth/password/reset';

/** Creates a test world with a fault-injecting SMTP server. */
export async function createFaultyMailWorld() {
  const smtp = await startFaultySmtp();
  const world = await createWorld({ ...ownAddresses, SMTP_URL: smtp.url });
  const gateway = await world.gateway();

  const jobOf = async (email: string) => {
    const [job] = await world.query<{ outcome: string | null; attempts: number }>(
      'SELECT outcome, attempts FROM mail_job WHERE address = $1 ORDER BY id DESC LIMIT 1',
      [email],
    );
    return job;
  };
  const hasOutcome = (email: string, outcome: string) =>
    expect.poll(async () => (await jobOf(email))?.outcome, { timeout: 15_000 }).toBe(outcome);

  /** Clears faults and waits until forms are open and no e-mail of an earlier test is pending. */
  async function clearFaults() {
    smtp.fault = null;
    await world.query(
      'UPDATE mail_job SET run_at = now(), locked_until = NULL WHERE outcome IS NULL',
    );
    const waiting = () => world.query('SELECT FROM mail_job WHERE outcome IS NULL');
    await expect.poll(async () => (await waiting()).length, { timeout: 15_000 }).toBe(0);
    const open = async () => (await createPerson(gateway.url).ask({ path: '/health' })).body;
    await expect.poll(open, { timeout: 10_000 }).toEqual({ status: 'healthy' });
  }

  return {
    smtp,
    world,
    gateway,
    jobOf,
    hasOutcome,
    clearFaults,
    hasTried: (email: string) =>
      expect
        .poll(async () => (await jobOf(email))?.attempts, { timeout: 15_000 })
        .toBeGreaterThan(0),
    /** Waits until no worker holds a job for the address. */
    isUnlocked: (email: string) =>
      expect
        .poll(
          () =>
            world.query('SELECT FROM mail_job WHERE address = $1 AND locked_until IS NOT NULL', [
              email,
            ]),
          { timeout: 15_000 },
        )
        .toEqual([]),
    /** Makes the job due and releases its lock, as after SIGKILL. */
    tryNow: (email: string) =>
      world.query('UPDATE mail_job SET run_at = now(), locked_until = NULL WHERE address = $1', [
        email,
      ]),
    acceptedFor: (email: string) => smtp.accepted.filter(({ to }) => to === email),
    async ask(path: string, email: string) {
      const person = createPerson(gateway.url);
      return person.ask({ path, body: { email, captcha_token: await person.captcha() } });
    },
    /** Registers an address and waits until its e-mail is sent. */
    async registered() {
      const email = newEmail();
      await createPerson(gateway.url).register({ email });
      await hasOutcome(email, 'sent');
      return email;
    },
    /** Runs `work` while the server fails, after the cached mail check has expired. */
    async within(at: SmtpStage, does: Fault, work: () => Promise<void>) {
      smtp.fault = { at, does };
      await wait(600);
      await work();
      await clearFaults();
      await wait(600);
    },
    async close() {
      await world.close();
      await smtp.close();
    },
  };
}
