import { expect, test } from 'vitest';
import { newEmail, ownAddresses, tokenOf } from '../../../support/people/people.ts';
import type { Answer } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { codes, createChanging } from './changing-email.ts';
import type { Errors } from './changing-email.ts';

const { world, gateway } = await useGateway(ownAddresses);
const publicUrl = gateway.config.PUBLIC_URL;
const changing = createChanging(world, gateway);

test('confirming changes the account’s address; other sessions end, the requesting one does not', async () => {
  const ada = await changing.signUp('ada');
  const elsewhere = await changing.signIn(ada, ada.email);
  const email = newEmail('new');

  const token = await changing.linkSent(ada, email);
  expect(await changing.emailOf(ada)).toBe(ada.email);
  expect(await changing.confirm(token)).toBe(200);

  expect(await changing.emailOf(ada)).toBe(email);
  expect(await changing.isSignedIn(ada)).toBe(true);
  const refreshed = await ada.person.ask({
    method: 'POST',
    path: '/api/auth/refresh',
    headers: { cookie: `refresh=${elsewhere.cookies.get('refresh')!}` },
  });
  expect(refreshed.status).toBe(401);
  expect((await changing.signIn(ada, ada.email)).status).toBe(401);
  expect((await changing.signIn(ada, email)).status).toBe(200);
  const notice = await world.mailbox.next(ada.email);
  expect(notice.text).toContain(`${publicUrl}/email/undo#token=`);
  expect(notice.text).not.toContain(email);
});

test('e-mails are in the account’s most recently set language (S: languages)', async () => {
  const ada = await changing.signUp('ada');
  await ada.person.ask({
    method: 'PATCH',
    path: '/api/user/profile',
    body: { locale: 'de-CH' },
    headers: ada.bearer,
  });
  const email = newEmail('neu');

  await changing.ask(ada, email);

  const message = await world.mailbox.next(email);
  expect(message.headers['content-language']).toBe('de');
  expect(message.html).toContain('lang="de"');
});

test('a taken address gets the same response as a free one; only its owner is notified (P15)', async () => {
  const [ada, ben] = [await changing.signUp('ada'), await changing.signUp('ben')];
  const free = await changing.ask(ada, newEmail('free'));
  await changing.settled();
  await world.query('DELETE FROM mail_cooldown');

  const taken = await changing.ask(ada, ben.email.toUpperCase());
  const own = await changing.ask(ben, ben.email);
  await changing.settled();

  const headersOf = (answer: Answer<Errors>) =>
    [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  for (const answer of [taken, own]) {
    expect([answer.status, answer.body]).toEqual([202, { status: 'confirmation_sent' }]);
    expect(answer.body).toEqual(free.body);
    expect(headersOf(answer)).toEqual(headersOf(free));
  }
  expect(changing.emailsTo(ben.email).slice(1)).toEqual([
    'This e-mail address already has an account',
  ]);
  const message = world.mailbox.emails.findLast(({ to }) => to === ben.email)!;
  expect(message.text).not.toContain('#token=');
  expect(message.text + message.html).not.toContain(ada.email);
});

test('the profile shows the requested address until the change is confirmed or expires, taken or not', async () => {
  const [ada, ben] = [await changing.signUp('ada'), await changing.signUp('ben')];
  const pending = async () => {
    const path = '/api/user/profile';
    const { body } = await ada.person.ask<{ pending_email: string | null }>({
      ...{ path, headers: ada.bearer },
    });
    return body.pending_email;
  };
  const email = newEmail('new');
  expect(await pending()).toBeNull();

  const token = await changing.linkSent(ada, email);
  expect(await pending()).toBe(email);
  await world.query('DELETE FROM mail_cooldown');
  await changing.ask(ada, ben.email);
  await changing.settled();
  expect(await pending()).toBe(ben.email);
  await world.query(
    `UPDATE email_change SET expires_at = expires_at - interval '24 hours' WHERE email = $1`,
    [ben.email],
  );
  expect(await pending()).toBe(email);

  expect(await changing.confirm(token)).toBe(200);
  expect(await pending()).toBeNull();
});

test('an account gets one e-mail in five minutes, regardless of the address (rel:B4-11)', async () => {
  const ada = await changing.signUp('ada');
  const emails = Array.from({ length: 6 }, () => newEmail('new'));
  const sent = () => emails.filter((email) => changing.emailsTo(email).length > 0).length;
  const back = (interval: string) =>
    world.query('UPDATE mail_cooldown SET sent_at = sent_at - $1::interval WHERE address = $2', [
      interval,
      ada.account_id,
    ]);

  const answers = await Promise.all(emails.slice(0, 4).map((email) => changing.ask(ada, email)));
  await changing.settled();
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  expect(sent()).toBe(1);
  await back('4 minutes 50 seconds');
  await changing.ask(ada, emails[4]!);
  await changing.settled();
  expect(sent()).toBe(1);
  await back('10 seconds');
  await changing.ask(ada, emails[5]!);
  await changing.settled();
  expect(sent()).toBe(2);
});

test('a link works until 24 hours after it was sent, by database time (rel:B4-14)', async () => {
  const [ada, ben] = [await changing.signUp('ada'), await changing.signUp('ben')];
  const young = await changing.linkSent(ada, newEmail('young'));
  const old = await changing.linkSent(ben, newEmail('old'));
  const age = (interval: string, { account_id }: { account_id: string }) =>
    world.query(
      'UPDATE email_change SET expires_at = expires_at - $1::interval WHERE account_id = $2',
      [interval, account_id],
    );
  await age('23 hours 59 minutes 30 seconds', ada);
  await age('24 hours 1 second', ben);

  expect(await changing.confirm(old)).toBe(422);
  expect(await changing.confirm(young)).toBe(200);
  expect(await changing.emailOf(ben)).toBe(ben.email);
});

test('one link used twenty times at once changes the address once', async () => {
  const ada = await changing.signUp('ada');
  const email = newEmail('new');
  const token = await changing.linkSent(ada, email);

  const answers = await Promise.all(Array.from({ length: 20 }, () => changing.confirm(token)));

  expect(answers.toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(19).fill(422)]);
  expect(await changing.emailOf(ada)).toBe(email);
  const changes = `audit_event WHERE scope_id = $1 AND action = 'email.change'`;
  expect(await changing.count(changes, [ada.account_id])).toBe(1);
  await changing.settled();
  expect(changing.emailsTo(ada.email)).toHaveLength(2);
});

test('confirming one change invalidates every other one that was requested', async () => {
  const ada = await changing.signUp('ada');
  const first = await changing.linkSent(ada, newEmail('first'));
  const second = await changing.linkFor(ada, newEmail('second'));

  expect(await changing.confirm(second)).toBe(200);

  expect(await changing.confirm(first)).toBe(422);
});

test('one of several accounts that race for an address gets it, and no request gets 500', async () => {
  const people = await Promise.all(['ada', 'ben', 'cleo'].map(changing.signUp));
  for (let round = 0; round < 5; round += 1) {
    const email = newEmail('wanted');
    const links = await Promise.all(people.map((who) => changing.linkFor(who, email)));
    const answers = await Promise.all(links.map(changing.confirm));
    expect(answers.toSorted((a, b) => a - b)).toEqual([200, 422, 422]);
    expect(await changing.count('account WHERE email = $1', [email])).toBe(1);
  }
});

test('an account deactivated before the confirmation keeps its address', async () => {
  const ada = await changing.signUp('ada');
  const token = await changing.linkSent(ada, newEmail());
  await world.query(`UPDATE account SET status = 'deactivated' WHERE id = $1`, [ada.account_id]);

  expect(await changing.confirm(token)).toBe(422);
  expect(await changing.emailOf(ada)).toBe(ada.email);
});

test('an account without an address or a password can add its first address after a recent sign-in', async () => {
  const ada = await changing.signUp('ada');
  await world.query('UPDATE account SET email = NULL, password_hash = NULL WHERE id = $1', [
    ada.account_id,
  ]);
  const signedIn = (interval: string) =>
    world.query(
      `UPDATE account_session SET auth_time = now() - $1::interval WHERE account_id = $2`,
      [interval, ada.account_id],
    );
  const email = newEmail('first');
  const without = { current_password: undefined };

  await signedIn('10 minutes 1 second');
  const stale = await changing.ask(ada, email, without);
  await signedIn('9 minutes');
  const fresh = await changing.ask(ada, email, without);

  expect([stale.status, fresh.status]).toEqual([403, 202]);
  expect(await changing.confirm(tokenOf(await world.mailbox.next(email)))).toBe(200);
  expect(await changing.emailOf(ada)).toBe(email);
  expect(await changing.count('email_reservation WHERE account_id = $1', [ada.account_id])).toBe(0);
});

test('a reset link sent to the former address is invalid after the change (rel:B4-15)', async () => {
  const ada = await changing.signUp('ada');
  const captcha_token = await ada.person.captcha();
  await ada.person.ask({
    path: '/api/auth/password/reset',
    body: { email: ada.email, captcha_token },
  });
  const reset = tokenOf(await world.mailbox.next(ada.email));

  expect(await changing.confirm(await changing.linkFor(ada, newEmail('new')))).toBe(200);

  const answer = await ada.person.ask<Errors>({
    path: '/api/auth/password/reset/confirm',
    body: { token: reset, password: 'quartz meadow tunnel 19' },
  });
  expect(codes(answer)).toEqual([422, ['token_invalid', '/token']]);
  expect(await changing.count('password_reset WHERE email = $1', [ada.email])).toBe(0);
});

test('changing the password invalidates address changes requested before', async () => {
  const ada = await changing.signUp('ada');
  const token = await changing.linkSent(ada, newEmail('intruder'));

  const { status } = await ada.person.ask({
    path: '/api/user/password',
    body: { current_password: ada.password, password: 'quartz meadow tunnel 19' },
    headers: ada.bearer,
  });

  expect(status).toBe(204);
  expect(await changing.confirm(token)).toBe(422);
  expect(await changing.emailOf(ada)).toBe(ada.email);
});

test('no row contains a link, and the audit contains no address', async () => {
  const ada = await changing.signUp('ada');
  const email = newEmail('new');
  const token = await changing.linkSent(ada, email);
  const tables = ['email_change', 'email_reservation', 'mail_job', 'audit_event'];
  const dump = async (table: string) =>
    JSON.stringify(await world.query(`SELECT t::text AS row FROM ${table} t`));

  for (const table of tables) expect(await dump(table)).not.toContain(token);
  await changing.confirm(token);
  for (const table of tables) expect(await dump(table)).not.toContain(token);
  for (const address of [ada.email, email])
    expect(await dump('audit_event')).not.toContain(address);
});
