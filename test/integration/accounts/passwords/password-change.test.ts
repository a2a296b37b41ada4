import { expect, test } from 'vitest';
import { createPerson, ownAddresses, signUp } from '../../../support/people/people.ts';
import type { Answer, SignedUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { newPassword, refusal } from './resetting.ts';

const { world, gateway } = await useGateway(ownAddresses);

const change = ({ person, bearer }: SignedUp, body: Record<string, unknown>) =>
  person.ask({ path: '/api/user/password', body, headers: bearer });
const signIn = ({ email }: SignedUp, password: string) =>
  createPerson(gateway.url).ask<{ access_token: string }>({
    path: '/api/auth/login',
    body: { email, password },
  });
const profile = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  return (await createPerson(gateway.url).ask({ path: '/api/user/profile', headers })).status;
};
const refresh = async ({ cookies }: Pick<Answer, 'cookies'>) => {
  const headers = { cookie: `refresh=${cookies.get('refresh')}` };
  const request = { method: 'POST', path: '/api/auth/refresh', headers };
  return (await createPerson(gateway.url).ask(request)).status;
};
const reauthenticationRequired = [403, 'reauthentication_required'];
const auditEvents = (who: SignedUp) =>
  world.query(
    `SELECT action, outcome FROM audit_event
     WHERE scope_id = $1 AND action IN ('password.change', 'presence.refuse') ORDER BY at, id`,
    [who.account_id],
  );
const withoutPassword = (who: SignedUp) =>
  world.query('UPDATE account SET password_hash = NULL WHERE id = $1', [who.account_id]);

test('the requesting session stays, the others end with their refresh tokens (rel:B6-5)', async () => {
  const ada = await signUp(world, gateway);
  const other = await signIn(ada, ada.password);

  const answer = await change(ada, { current_password: ada.password, password: newPassword });

  expect([answer.status, answer.body]).toEqual([204, undefined]);
  expect([await profile(ada.access_token), await refresh(ada)]).toEqual([200, 200]);
  expect([await profile(other.body.access_token), await refresh(other)]).toEqual([401, 401]);
  expect((await signIn(ada, ada.password)).status).toBe(401);
  expect((await signIn(ada, newPassword)).status).toBe(200);
  expect((await world.mailbox.next(ada.email)).subject).toBe('Your password was changed');
  expect(await auditEvents(ada)).toEqual([{ action: 'password.change', outcome: 'done' }]);
});

test('without the correct current password, the response is 403 and nothing changes', async () => {
  const ada = await signUp(world, gateway);

  const missing = await change(ada, { password: newPassword });
  const wrong = await change(ada, { current_password: 'not it', password: newPassword });

  expect([refusal(missing), refusal(wrong)]).toEqual([
    reauthenticationRequired,
    reauthenticationRequired,
  ]);
  expect(missing.body).toMatchObject({ errors: [{ detail: { pointer: '/current_password' } }] });
  expect((await signIn(ada, ada.password)).status).toBe(200);
  expect(await auditEvents(ada)).toEqual([{ action: 'presence.refuse', outcome: 'refused' }]);
});

test('wrong current passwords count as failed sign-ins: the eleventh gets 429 (decisions 9, rel:B4-22)', async () => {
  const ada = await signUp(world, gateway);
  const wrong = { current_password: 'not it', password: newPassword };

  const statuses = [];
  for (let round = 0; round < 11; round += 1) statuses.push((await change(ada, wrong)).status);
  const body = { email: ada.email, password: ada.password };
  const here = await ada.person.ask({ path: '/api/auth/login', body });

  expect(statuses).toEqual([...Array(10).fill(403), 429]);
  expect(here.status).toBe(429);
  expect((await signIn(ada, ada.password)).status).toBe(200);
});

test('an invalid new password gets 400 before the current one is checked', async () => {
  const ada = await signUp(world, gateway);
  await world.query(
    `UPDATE account SET first_name = 'Zorblatt', last_name = 'Quixwumple' WHERE id = $1`,
    [ada.account_id],
  );
  const weak = ['short', 'x'.repeat(129), 'password1234', 'zorblattquixwumple'];

  for (const password of weak)
    expect(refusal(await change(ada, { password }))).toEqual([400, 'weak_password']);
  expect((await change(ada, { current_password: 5, password: newPassword })).status).toBe(400);
  expect((await change(ada, { current_password: ada.password })).status).toBe(400);
});

test('setting a first password requires a sign-in less than ten minutes old, by database time', async () => {
  const ada = await signUp(world, gateway);
  await withoutPassword(ada);
  const age = (interval: string) =>
    world.query(
      'UPDATE account_session SET auth_time = now() - $1::interval WHERE account_id = $2',
      [interval, ada.account_id],
    );

  await age('10 minutes 1 second');
  const late = await change(ada, { password: newPassword });
  await age('9 minutes 30 seconds');
  const fresh = await change(ada, { password: newPassword });
  const again = await change(ada, { password: 'copper lagoon whistle 77' });

  expect([refusal(late), fresh.status, refusal(again)]).toEqual([
    reauthenticationRequired,
    204,
    reauthenticationRequired,
  ]);
  expect((await signIn(ada, newPassword)).status).toBe(200);
});

test.each(['with', 'without'])(
  'exactly one of four concurrent changes succeeds %s an existing password',
  async (session) => {
    const ada = await signUp(world, gateway);
    if (session === 'without') await withoutPassword(ada);
    const current = session === 'with' ? { current_password: ada.password } : {};
    const passwords = Array.from({ length: 4 }, (_, n) => `${newPassword} ${n}`);

    const answers = await Promise.all(
      passwords.map((password) => change(ada, { ...current, password })),
    );

    const done = answers.flatMap(({ status }, n) => (status === 204 ? [passwords[n]!] : []));
    expect(done).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 204))
      expect(refusal(answer)).toEqual(reauthenticationRequired);
    expect((await signIn(ada, done[0]!)).status).toBe(200);
    expect(await auditEvents(ada)).toContainEqual({ action: 'password.change', outcome: 'done' });
  },
);
