import { describe, expect, test } from 'vitest';
import {
  createPerson,
  goodPassword,
  newEmail,
  ownAddresses,
  signUp,
  sortedStatuses,
  tokenOf,
} from '../../../support/people/people.ts';
import { removePassword } from '../../../support/people/without-password.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { createResetting, newPassword } from './resetting.ts';

const { world, gateway } = await useGateway(ownAddresses);
const { url } = gateway;
const resetting = createResetting(world, url);

const ada = () => signUp(world, gateway);

const accepted = [200, { status: 'accepted' }];

describe('requesting a reset', () => {
  test('has the same response for every address; only accounts with a password get an e-mail (rel:B4-10, P19)', async () => {
    const [verified, passwordless, deactivated, suppressed] = [
      await ada(),
      await ada(),
      await ada(),
      await ada(),
    ];
    await removePassword(world, passwordless.account_id);
    await resetting.change(deactivated.account_id, `status = 'deactivated'`);
    await world.query(`INSERT INTO mail_suppression VALUES ($1, now() + interval '1 day')`, [
      suppressed.email,
    ]);
    const unverified = newEmail('ben');
    await createPerson(url).register({ email: unverified });
    await world.mailbox.next(unverified);
    const emails = [verified, passwordless, deactivated, suppressed].map(({ email }) => email);
    const all = [...emails, unverified, newEmail('nobody')];

    const answers = [];
    for (const email of [...all, verified.email]) answers.push(await resetting.ask(email));

    for (const answer of answers) expect([answer.status, answer.body]).toEqual(accepted);
    const names = answers.map(({ headers }) => [...headers.keys()].join());
    expect(new Set(names).size).toBe(1);
    for (const email of all) await resetting.settled(email);
    expect(all.map(resetting.emailsTo)).toEqual([2, 1, 1, 1, 2, 0]);
    expect(await resetting.count('password_reset WHERE email = ANY($1)', [all])).toBe(2);
  });

  test('fifty times at once sends one e-mail, and one more after five minutes (rel:B4-11)', async () => {
    const { email, account_id } = await ada();
    const back = (interval: string) =>
      world.query('UPDATE mail_cooldown SET sent_at = sent_at - $1::interval WHERE address = $2', [
        interval,
        account_id,
      ]);

    const person = createPerson(url);
    const tokens: string[] = [];
    while (tokens.length < 50) tokens.push(await person.captcha());
    const path = '/api/auth/password/reset';
    const answers = await Promise.all(
      tokens.map((captcha_token) => person.ask({ path, body: { email, captcha_token } })),
    );
    await resetting.settled(email);
    const at = [resetting.emailsTo(email)];
    for (const interval of ['4 minutes 45 seconds', '15 seconds']) {
      await back(interval);
      await resetting.ask(email);
      await resetting.settled(email);
      at.push(resetting.emailsTo(email));
    }

    expect(sortedStatuses(answers)).toEqual(Array(50).fill(200));
    expect(at).toEqual([2, 2, 3]);
  });

  test('shares its cooldown per account, even after an address change (decisions 9)', async () => {
    const { email, account_id } = await ada();
    await resetting.ask(email);
    await resetting.settled(email);
    await resetting.change(account_id, `email = 'new-' || email`);
    await resetting.ask(`new-${email}`);
    await resetting.settled(`new-${email}`);

    expect([resetting.emailsTo(email), resetting.emailsTo(`new-${email}`)]).toEqual([2, 0]);
  });

  test("has its own cooldown, separate from resend's", async () => {
    const email = newEmail();
    await createPerson(url).register({ email });

    await resetting.ask(email, '/api/auth/resend-verification');
    await resetting.ask(email);
    await resetting.settled(email);

    expect(resetting.emailsTo(email)).toBe(3);
  });

  test('is retried for an hour, the last time at its end (decisions 9)', async () => {
    const { email } = await ada();
    await resetting.ask(email);
    await resetting.settled(email);

    const [job] = await world.query(
      `SELECT give_up_at - requested_at = interval '1 hour' AS hour FROM mail_job
       WHERE address = $1 AND kind = 'reset'`,
      [email],
    );
    expect(job).toEqual({ hour: true });
  });
});

describe('a reset before the address is verified', () => {
  async function registered(email: string, password = goodPassword) {
    await createPerson(url).register({ email, password });
    return tokenOf(await world.mailbox.next(email));
  }

  test('sets the password of every registration and leaves the address unverified', async () => {
    const email = newEmail();
    const first = await registered(email);
    await registered(email, 'copper lagoon whistle 77');

    const answer = await resetting.confirm(await resetting.linkFor(email));

    expect(answer.status).toBe(200);
    expect(JSON.stringify((await resetting.signIn(email, newPassword)).body)).toContain(
      'not verified',
    );
    expect(await resetting.count('account WHERE email = $1', [email])).toBe(0);
    expect((await resetting.verify(first)).status).toBe(200);
    expect((await resetting.signIn(email, newPassword)).status).toBe(200);
    expect((await resetting.signIn(email, goodPassword)).status).toBe(401);
  });

  test.each(['before', 'after'])(
    'applies to a verification e-mail requested %s it, even with several registrations',
    async (when) => {
      const email = newEmail();
      await registered(email);
      await registered(email, 'copper lagoon whistle 77');
      const resent = async () => {
        await resetting.ask(email, '/api/auth/resend-verification');
        return tokenOf(await world.mailbox.next(email));
      };

      const before = when === 'before' ? await resent() : null;
      await resetting.confirm(await resetting.linkFor(email));
      const token = before ?? (await resent());

      expect((await resetting.verify(token)).status).toBe(200);
      expect((await resetting.signIn(email, newPassword)).status).toBe(200);
    },
  );

  test('is not lost if the verification link is clicked at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const email = newEmail();
      const token = await registered(email);
      const reset = await resetting.linkFor(email);

      const [set, verified] = await Promise.all([
        resetting.confirm(reset),
        resetting.verify(token),
      ]);

      expect([set.status, verified.status]).toEqual([200, 200]);
      expect((await resetting.signIn(email, newPassword)).status).toBe(200);
    }
  });
});
