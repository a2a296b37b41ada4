import { expect, test } from 'vitest';
import { createKey, createPerson, newEmail, ownAddresses } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { freePort } from '../../../support/servers/free-port.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { codes, createChanging } from './changing-email.ts';
import type { Errors } from './changing-email.ts';

const { world, gateway } = await useGateway(ownAddresses);
const { url } = gateway;
const publicUrl = gateway.config.PUBLIC_URL;
const changing = createChanging(world, gateway);

test.each([
  ['no address', { email: 'ada' }, [400, ['invalid_email', '/email']]],
  ['a line feed', { email: 'a@b.example\r\nBcc: c@d.example' }, [400, ['invalid_email', '/email']]],
  ['over 254', { email: `${'a'.repeat(250)}@b.example` }, [400, ['invalid_body', '/email']]],
  ['a number', { email: 5 }, [400, ['invalid_body', '/email']]],
  ['null', { email: null }, [400, ['invalid_body', '/email']]],
  [
    'a password that is a number',
    { current_password: 5 },
    [400, ['invalid_body', '/current_password']],
  ],
  [
    'no password',
    { current_password: undefined },
    [403, ['reauthentication_required', '/current_password']],
  ],
  [
    'a wrong password',
    { current_password: 'wrong horse battery' },
    [403, ['reauthentication_required', '/current_password']],
  ],
])('%s is refused, and no change is requested (rel:B4-5)', async (_, fields, expected) => {
  const ada = await changing.signUp('ada');
  const jobs = await changing.count('mail_job');

  const answer = await changing.ask(ada, newEmail(), fields);

  expect(codes(answer)).toEqual(expected);
  expect(await changing.count('email_change WHERE account_id = $1', [ada.account_id])).toBe(0);
  expect(await changing.count('mail_job')).toBe(jobs);
});

test('only a session may request a change; a key is refused with 403 before any other check (rel:B1-12)', async () => {
  const ada = await changing.signUp('ada');
  const { secret } = await createKey(ada);
  const person = createPerson(url);
  const body = { email: newEmail() };

  const anonymous = await person.ask<Errors>({ path: '/api/user/email', body });
  const byKey = await person.ask<Errors>({
    path: '/api/user/email',
    body,
    headers: { 'x-api-key': secret },
  });

  expect([anonymous.status, byKey.status]).toEqual([401, 403]);
  expect(byKey.body.errors[0]!.code).toBe('interactive_only');
});

test('while mail is unavailable, a request is refused with 503 and saves nothing, but a malformed address still gets 400', async () => {
  const ada = await changing.signUp('ada');
  const { url: other } = await world.gateway({
    env: { PUBLIC_URL: publicUrl, SMTP_URL: `smtp://127.0.0.1:${await freePort()}` },
  });
  const there = { ...ada, person: createPerson(other) };
  const rows = () => changing.count('email_change');
  const before = await rows();

  const unavailable = await changing.ask(there, newEmail());
  const wrong = await changing.ask(there, newEmail(), { current_password: 'wrong' });
  const malformed = await changing.ask(there, 'nonsense');

  expect([unavailable.status, wrong.status, malformed.status]).toEqual([503, 503, 400]);
  expect(await rows()).toBe(before);
  expect((await changing.ask(ada, newEmail())).status).toBe(202);
});

test.each(['confirm', 'undo'])(
  'an invalid %s link is refused with 422, a malformed one with 400',
  async (path) => {
    const send = (body: unknown) =>
      createPerson(url).ask<Errors>({ path: `/api/user/email/${path}`, body });

    for (const token of ['', 'x', 'A'.repeat(43)])
      expect(codes(await send({ token }))).toEqual([422, ['token_invalid', '/token']]);
    for (const body of [{}, { token: 5 }, { token: null }, { token: 'x'.repeat(201) }])
      expect(codes(await send(body))).toEqual([400, ['invalid_body', '/token']]);
    expect((await fetch(`${url}/api/user/email/${path}?token=x`)).status).toBe(405);
  },
);

/** Saves confirmation e-mails that an address got within the hour. */
const alreadySent = (email: string, count: number, { asked_by = null as string | null } = {}) =>
  world.query(
    `INSERT INTO mail_job (id, kind, address, give_up_at, claimed, outcome, finished_at, asked_by)
     SELECT gen_random_uuid(), 'email_confirm', $1, now(), true, 'sent', now(),
       coalesce($3::uuid, gen_random_uuid())
     FROM generate_series(1, $2)`,
    [email, count, asked_by],
  );
const pendingOf = ({ account_id }: Pick<SignedUp, 'account_id'>) =>
  changing.count('email_change WHERE account_id = $1', [account_id]);

test('an account sends an address at most six confirmation e-mails an hour, which does not stop those of other accounts', async () => {
  const [ada, eve] = [await changing.signUp('ada'), await changing.signUp('eve')];
  const email = newEmail('ben');
  await alreadySent(email, 6, { asked_by: eve.account_id });

  for (const who of [eve, ada]) {
    expect((await changing.ask(who, email)).status).toBe(202);
    await changing.settled();
  }

  expect(changing.emailsTo(email)).toEqual(['Confirm your new e-mail address']);
  expect([await pendingOf(eve), await pendingOf(ada)]).toEqual([0, 1]);
});

test('a mailbox gets at most sixty confirmation e-mails an hour, from all accounts together', async () => {
  const [ada, eve] = [await changing.signUp('ada'), await changing.signUp('eve')];
  const email = newEmail('ben');
  await alreadySent(email, 59);

  for (const who of [ada, eve]) {
    expect((await changing.ask(who, email)).status).toBe(202);
    await changing.settled();
  }

  expect(changing.emailsTo(email)).toEqual(['Confirm your new e-mail address']);
  expect([await pendingOf(ada), await pendingOf(eve)]).toEqual([1, 0]);
});

test('an e-mail that was not sent counts towards no cap', async () => {
  const [ada, eve] = [await changing.signUp('ada'), await changing.signUp('eve')];
  const email = newEmail('ben');
  await alreadySent(email, 60);
  expect((await changing.ask(eve, email)).status).toBe(202);
  await changing.settled();
  // Of the sixty, one was sent more than an hour ago by now.
  await world.query(
    `UPDATE mail_job SET requested_at = now() - interval '61 minutes'
     WHERE id = (SELECT id FROM mail_job WHERE address = $1 AND outcome = 'sent' LIMIT 1)`,
    [email],
  );

  expect((await changing.ask(ada, email)).status).toBe(202);
  await changing.settled();

  expect(changing.emailsTo(email)).toEqual(['Confirm your new e-mail address']);
});
