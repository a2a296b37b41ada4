import { expect } from 'vitest';
import { createPerson, tokenOf } from '../../../support/people/people.ts';
import type { Answer } from '../../../support/people/people.ts';
import type { World } from '../../../support/worlds/world.ts';

export const newPassword = 'quartz meadow tunnel 19';
/** Status and code of the refusal of an invalid link. */
export const invalidToken = [422, 'token_invalid'];

/** Returns a refusal's status and codes. */
export const refusal = (answer: Answer<unknown>): unknown[] => [
  answer.status,
  ...(answer.body as { errors: { code: string }[] }).errors.map(({ code }) => code),
];

/** Password reset helpers for `url`, each request from its own address. */
export function createResetting(world: World, url: string) {
  const RESET = '/api/auth/password/reset';
  const count = async (rows: string, values: unknown[]) =>
    Number((await world.query<{ n: string }>(`SELECT count(*) AS n FROM ${rows}`, values))[0]!.n);

  /** Requests a reset or another e-mail. */
  async function ask(email: string, path = RESET) {
    const person = createPerson(url);
    return person.ask({ path, body: { email, captcha_token: await person.captcha() } });
  }

  return {
    ask,
    count,
    confirm: (token: string, password = newPassword) =>
      createPerson(url).ask({ path: `${RESET}/confirm`, body: { token, password } }),
    verify: (token: string) =>
      createPerson(url).ask({ path: '/api/auth/verify-email', body: { token } }),
    signIn: (email: string, password: string) =>
      createPerson(url).ask({ path: '/api/auth/login', body: { email, password } }),
    /** Waits until the worker has finished every e-mail to the address. */
    settled: (email: string) =>
      expect
        .poll(() => count('mail_job WHERE address = $1 AND finished_at IS NULL', [email]), {
          timeout: 10_000,
        })
        .toBe(0),
    emailsTo: (email: string) => world.mailbox.emails.filter(({ to }) => to === email).length,
    /** Requests a reset and returns the token from its e-mail, skipping earlier e-mails. */
    async linkFor(email: string): Promise<string> {
      await ask(email);
      for (;;) {
        const message = await world.mailbox.next(email);
        if (message.subject === 'Reset your password') return tokenOf(message);
      }
    },
    change: (accountId: string, field: string) =>
      world.query(`UPDATE account SET ${field} WHERE id = $1`, [accountId]),
  };
}
