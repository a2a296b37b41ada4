import { expect, test } from 'vitest';
import { createAuthenticator } from '../../../support/people/authenticator.ts';
import { addPasskey, addTotp } from '../../../support/people/factors.ts';
import { createPerson, newEmail, ownAddresses, tokenOf } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { createChanging } from './changing-email.ts';
import { createResetting, newPassword } from '../passwords/resetting.ts';

const { world, gateway } = await useGateway(ownAddresses);
const { url } = gateway;
const publicUrl = gateway.config.PUBLIC_URL;
const changing = createChanging(world, gateway);

const verify = async (token: string) =>
  (await createPerson(url).ask({ path: '/api/auth/verify-email', body: { token } })).status;
const isReserved = (email: string) => changing.count('email_reservation WHERE email = $1', [email]);
const age = (interval: string, email: string) =>
  world.query(
    'UPDATE email_reservation SET expires_at = expires_at - $1::interval WHERE email = $2',
    [interval, email],
  );

test('undoing restores the address and ends every session', async () => {
  const ada = await changing.signUp('ada');
  const email = newEmail('new');
  const back = await changing.move(ada, ada.email, email);
  const later = await changing.signIn(ada, email);
  const pending = await changing.linkFor(ada, newEmail('third'));

  expect(await changing.undo(back)).toBe(200);

  expect(await changing.emailOf(ada)).toBe(ada.email);
  expect(await changing.isSignedIn(ada)).toBe(false);
  const { access_token } = later.body as unknown as { access_token: string };
  const bearer = { authorization: `Bearer ${access_token}` };
  expect(await changing.isSignedIn({ ...ada, bearer })).toBe(false);
  expect(await changing.confirm(pending)).toBe(422);
  expect((await changing.signIn(ada, email)).status).toBe(401);
  expect((await changing.signIn(ada, ada.email)).status).toBe(200);
});

test('undoing removes every sign-in method added since the change, and keeps earlier ones', async () => {
  const [ada, ben] = [await changing.signUp('ada'), await changing.signUp('ben')];
  const own = await addPasskey(ada, createAuthenticator(publicUrl));
  await world.query(`UPDATE account_passkey SET created_at = created_at - interval '1 hour'`);

  for (const who of [ada, ben]) await addMethodsAndUndo(who);

  const left = async (table: string, { account_id }: SignedUp) =>
    changing.count(`${table} WHERE account_id = $1`, [account_id]);
  expect(await world.query('SELECT id FROM account_passkey')).toEqual([{ id: own.id }]);
  for (const who of [ada, ben])
    for (const table of ['account_totp', 'account_identity'])
      expect(await left(table, who)).toBe(0);
  expect(await left('account_recovery_code', ada)).toBe(10);
  expect(await left('account_recovery_code', ben)).toBe(0);
  expect((await changing.signIn(ben, ben.email)).body).toHaveProperty('access_token');
});

/** Changes the address, adds a sign-in method of each kind, and undoes the change. */
async function addMethodsAndUndo(who: SignedUp) {
  expect(await changing.confirm(await changing.linkSent(who, newEmail('new')))).toBe(200);
  await changing.settled();
  const back = tokenOf(world.mailbox.emails.findLast(({ to }) => to === who.email)!);
  await addPasskey(who, createAuthenticator(publicUrl));
  await addTotp(world, who);
  await world.query(
    `INSERT INTO account_identity (id, account_id, provider, issuer, subject)
     VALUES (gen_random_uuid(), $1, 'oidc', 'https://id.example', gen_random_uuid())`,
    [who.account_id],
  );
  expect(await changing.undo(back)).toBe(200);
}

test.each([
  ['another', 'UPDATE account SET verified_at = verified_at WHERE id = $1'],
  ['a first', 'UPDATE account SET password_hash = NULL WHERE id = $1'],
])(
  'undoing removes %s password set since the change, and a reset is possible at once',
  async (_, had) => {
    const resetting = createResetting(world, url);
    const ada = await changing.signUp('ada');
    await world.query(had, [ada.account_id]);
    const email = newEmail('thief');
    const back = await changing.move(ada, ada.email, email);
    // A reset requires a password: an empty one stands for a first password set in a session.
    await resetting.change(ada.account_id, `password_hash = coalesce(password_hash, '')`);
    expect(
      (await resetting.confirm(await resetting.linkFor(email), 'violet harbour engine 52')).status,
    ).toBe(200);

    expect(await changing.undo(back)).toBe(200);

    for (const password of ['violet harbour engine 52', ada.password])
      expect((await resetting.signIn(ada.email, password)).status).toBe(401);
    expect((await resetting.confirm(await resetting.linkFor(ada.email))).status).toBe(200);
    expect((await resetting.signIn(ada.email, newPassword)).status).toBe(200);
  },
);

test('the former address is notified of a factor added just before the change', async () => {
  const ada = await changing.signUp('ada');
  const link = await changing.linkSent(ada, newEmail('new'));
  // As if a worker took the job only after the change.
  await world.query(
    `CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN NEW.run_at = now() + interval '1 hour'; RETURN NEW; END $$;
     CREATE TRIGGER later BEFORE INSERT ON mail_job FOR EACH ROW
       WHEN (NEW.kind = 'second_factor_changed') EXECUTE FUNCTION later()`,
  );
  await addPasskey(ada, createAuthenticator(publicUrl));
  expect(await changing.confirm(link)).toBe(200);
  await world.query('DROP FUNCTION later CASCADE; UPDATE mail_job SET run_at = now()');

  const subjects = () => changing.emailsTo(ada.email);
  await expect
    .poll(subjects, { timeout: 10_000 })
    .toContain('Your two-factor authentication was changed');
});

test('the audit records each step and whether a session made it', async () => {
  const ada = await changing.signUp('ada');
  const email = newEmail('new');
  expect(await changing.confirm(await changing.linkSent(ada, email))).toBe(200);
  await changing.settled();
  const message = world.mailbox.emails.findLast(({ to }) => to === ada.email)!;
  expect(await changing.undo(tokenOf(message))).toBe(200);

  const rows = await world.query(
    `SELECT action, actor_id, credential_id IS NOT NULL AS by_session, detail FROM audit_event
     WHERE scope_id = $1 AND action LIKE 'email.%' ORDER BY at`,
    [ada.account_id],
  );
  const row = { actor_id: ada.account_id, by_session: false, detail: null };
  expect(rows).toEqual([
    { ...row, action: 'email.request', by_session: true },
    { ...row, action: 'email.change' },
    { ...row, action: 'email.undo' },
  ]);
});

test('an undo link works once, within a day, and not for confirming', async () => {
  const [ada, ben] = [await changing.signUp('ada'), await changing.signUp('ben')];
  const young = await changing.move(ada, ada.email, newEmail('new'));
  const old = await changing.move(ben, ben.email, newEmail('new'));
  await age('23 hours 59 minutes 30 seconds', ada.email);
  await age('24 hours 1 second', ben.email);

  expect(await changing.confirm(young)).toBe(422);
  const answers = await Promise.all(Array.from({ length: 20 }, () => changing.undo(young)));
  expect(answers.toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(19).fill(422)]);
  expect(await changing.undo(young)).toBe(422);
  expect(await changing.undo(old)).toBe(422);
});

test('for a day, no other account can get the former address in any way', async () => {
  const [ada, ben] = [await changing.signUp('ada'), await changing.signUp('ben')];
  // As if Ben had requested the address before it was Ada's.
  const person = createPerson(url);
  const link = await changing.linkFor(ben, ada.email);
  const back = await changing.move(ada, ada.email, newEmail('new'));

  const registered = await person.register({ email: ada.email });
  const requested = await changing.ask(ben, ada.email);
  await changing.settled();

  expect([registered.status, requested.status]).toEqual([201, 202]);
  expect(changing.emailsTo(ada.email)).toEqual([
    'Confirm your e-mail address',
    'Your e-mail address was changed',
  ]);
  expect(await changing.confirm(link)).toBe(422);
  expect(await changing.undo(back)).toBe(200);
  expect(await changing.emailOf(ada)).toBe(ada.email);
});

test('a verification link to a reserved address creates no account until the day is over', async () => {
  const ada = await changing.signUp('ada');
  const email = newEmail('ben');
  await createPerson(url).register({ email });
  const token = tokenOf(await world.mailbox.next(email));
  // As if Ada had left the address while the e-mail was being delivered.
  await world.query('INSERT INTO email_reservation (email, account_id) VALUES ($1, $2)', [
    email,
    ada.account_id,
  ]);

  expect(await verify(token)).toBe(422);
  await age('24 hours 1 second', email);
  expect(await verify(token)).toBe(200);
});

test('after a day the former address is free, and its undo link is invalid', async () => {
  const [ada, ben] = [await changing.signUp('ada'), await changing.signUp('ben')];
  const back = await changing.move(ada, ada.email, newEmail('new'));
  await age('24 hours 1 second', ada.email);

  expect(await changing.confirm(await changing.linkFor(ben, ada.email))).toBe(200);
  expect(await changing.undo(back)).toBe(422);

  // The next owner can undo with their own password, even before old rows are swept.
  const again = await changing.move(ben, ada.email, newEmail('on'));
  expect(await changing.undo(again)).toBe(200);
  expect((await changing.signIn(ben, ada.email)).status).toBe(200);
});

test('a former address stays reserved if another account claims it during the change (race)', async () => {
  const [ada, ben] = [await changing.signUp('ada'), await changing.signUp('ben')];
  const outcomes = new Set<number>();
  for (let round = 0; round < 12; round += 1) {
    const [left, next] = [newEmail('left'), newEmail('next')];
    await changing.confirm(await changing.linkFor(ada, left));
    const leave = await changing.linkFor(ada, next);
    const claim = await changing.linkFor(ben, left);

    const [released, claimed] = await Promise.all([
      changing.confirm(leave),
      changing.confirm(claim),
    ]);

    expect(released).toBe(200);
    outcomes.add(claimed);
    expect(await isReserved(left)).toBe(1);
    await world.query('DELETE FROM email_change');
  }
  expect([...outcomes]).toEqual([422]);
});

test('undoing the earliest change also undoes the later ones', async () => {
  const ada = await changing.signUp('ada');
  const [second, third] = [newEmail('second'), newEmail('third')];
  const toFirst = await changing.move(ada, ada.email, second);
  const toSecond = await changing.move(ada, second, third);

  expect(await changing.undo(toFirst)).toBe(200);

  expect(await changing.undo(toSecond)).toBe(422);
  expect(await changing.emailOf(ada)).toBe(ada.email);
  expect([await isReserved(ada.email), await isReserved(second)]).toEqual([0, 0]);
});

test('undoing a later change leaves the earlier undo link valid', async () => {
  const ada = await changing.signUp('ada');
  const [second, third] = [newEmail('second'), newEmail('third')];
  const toFirst = await changing.move(ada, ada.email, second);
  const toSecond = await changing.move(ada, second, third);

  expect(await changing.undo(toSecond)).toBe(200);
  expect(await changing.emailOf(ada)).toBe(second);
  expect(await changing.undo(toFirst)).toBe(200);
  expect(await changing.emailOf(ada)).toBe(ada.email);
});

test('changing back to the former address counts as undoing: the address in between gets no undo link', async () => {
  const ada = await changing.signUp('ada');
  const between = newEmail('between');
  const back = await changing.move(ada, ada.email, between);

  expect(await changing.confirm(await changing.linkFor(ada, ada.email))).toBe(200);
  await changing.settled();

  expect(await changing.undo(back)).toBe(422);
  expect(changing.emailsTo(between)).toEqual([]);
  expect([await isReserved(ada.email), await isReserved(between)]).toEqual([0, 0]);
});

test('confirming the next change while undoing the last one ends in one of the two addresses', async () => {
  const ada = await changing.signUp('ada');
  let [from, back] = [ada.email, ''];
  for (let round = 0; round < 8; round += 1) {
    const to = newEmail('to');
    back = await changing.move(ada, from, to);
    const next = newEmail('next');
    const link = await changing.linkFor(ada, next);

    const [undone, confirmed] = await Promise.all([changing.undo(back), changing.confirm(link)]);

    expect(undone).toBe(200);
    expect([200, 422]).toContain(confirmed);
    expect(await changing.emailOf(ada)).toBe(from);
    expect(await changing.count('email_reservation WHERE account_id = $1', [ada.account_id])).toBe(
      0,
    );
    from = (await changing.emailOf(ada)) as string;
  }
});
