import { expect, test } from 'vitest';
import {
  createPerson,
  goodPassword,
  newEmail,
  oneAddress,
  signUp,
  tokenOf,
} from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(oneAddress);
const second = await world.gateway();

interface Listed {
  data: { id: string; ip: string; user_agent: string; current: boolean }[];
  next_cursor: string | null;
}
const PATH = '/api/auth/sessions';
const list = ({ person, bearer }: SignedUp, query = '') =>
  person.ask<Listed>({ path: `${PATH}${query}`, headers: bearer });
const end = ({ person, bearer }: SignedUp, id = '') =>
  person.ask({ method: 'DELETE', path: id ? `${PATH}/${id}` : PATH, headers: bearer });

const newest = async (who: SignedUp) => (await list(who)).body.data[0]!.id;

/** Signs the same account in from another client. */
async function elsewhere(who: SignedUp, headers: Record<string, string> = {}): Promise<SignedUp> {
  const person = createPerson(gateway.url);
  const { body, cookies } = await person.ask<{ access_token: string }>({
    path: '/api/auth/login',
    body: { email: who.email, password: goodPassword },
    headers,
  });
  const { access_token } = body;
  return {
    ...who,
    person,
    cookies,
    access_token,
    bearer: { authorization: `Bearer ${access_token}` },
  };
}
/** Requests an address change with the session and returns the token from the e-mail. */
async function linkRequestedBy(who: SignedUp): Promise<string> {
  const email = newEmail('new');
  const body = { email, current_password: goodPassword };
  await who.person.ask({ path: '/api/user/email', body, headers: who.bearer });
  const link = tokenOf(await world.mailbox.next(email));
  await world.query('DELETE FROM mail_cooldown');
  return link;
}
const confirm = async (token: string) =>
  (await createPerson(gateway.url).ask({ path: '/api/user/email/confirm', body: { token } }))
    .status;

/**
 * Returns the status of the access token on the other gateway and of the refresh token on this one.
 */
async function credentialStatuses({ person, access_token, cookies }: SignedUp) {
  const other = createPerson(second.url);
  const headers = { authorization: `Bearer ${access_token}` };
  const profile = await other.ask({ path: '/api/user/profile', headers });
  const cookie = `refresh=${cookies.get('refresh')}`;
  const refreshed = await person.ask({
    method: 'POST',
    path: '/api/auth/refresh',
    headers: { cookie },
  });
  return [profile.status, refreshed.status];
}

test('the list shows an account’s sessions, newest first and without secrets', async () => {
  const ada = await signUp(world, gateway);
  const phone = await elsewhere(ada, { 'user-agent': 'Phone/1.0' });
  const { body } = await list(phone);

  const record = {
    id: expect.any(String),
    created_at: expect.stringMatching(/Z$/),
    last_used_at: expect.stringMatching(/Z$/),
    expires_at: expect.stringMatching(/Z$/),
    amr: ['pwd'],
  };
  expect(body).toEqual({
    data: [
      { ...record, ip: phone.person.address, user_agent: 'Phone/1.0', current: true },
      { ...record, ip: ada.person.address, user_agent: expect.any(String), current: false },
    ],
    next_cursor: null,
  });
  expect((await list(ada)).body.data.map(({ current }) => current)).toEqual([false, true]);
});

test('the list has pages, and only active sessions', async () => {
  const ada = await signUp(world, gateway);
  const [revoked, old] = [await elsewhere(ada), await elsewhere(ada)];
  await world.query(
    `UPDATE account_session SET expires_at = now() WHERE id = split_part($1, '.', 1)::uuid`,
    [old.cookies.get('refresh')],
  );
  await revoked.person.ask({ method: 'POST', path: '/api/auth/logout', headers: revoked.bearer });
  await elsewhere(ada);

  const first = await list(ada, '?limit=1');
  const next = await list(ada, `?limit=1&cursor=${first.body.next_cursor}`);

  expect([first.body.data.length, next.body.data.length, next.body.next_cursor]).toEqual([
    1,
    1,
    null,
  ]);
  expect((await list(ada)).body.data).toEqual([...first.body.data, ...next.body.data]);
  expect((await list(ada, '?limit=201')).status).toBe(400);
});

test('an ended session is refused on every gateway at its next request, and so is its refresh token', async () => {
  const ada = await signUp(world, gateway);
  const thief = await elsewhere(ada);
  const id = await newest(ada);

  const ended = await end(ada, id);

  expect([ended.status, ended.body, ended.cookies.size]).toEqual([204, undefined, 0]);
  expect(await credentialStatuses(thief)).toEqual([401, 401]);
  expect(await credentialStatuses(ada)).toEqual([200, 200]);
  expect((await list(ada)).body.data).toHaveLength(1);
  expect((await end(ada, id)).status).toBe(404);
});

test('ending the current session clears its cookies', async () => {
  const ada = await signUp(world, gateway);
  const id = await newest(ada);

  const ended = await end(ada, id);

  expect([...ended.cookies]).toEqual([
    ['session', ''],
    ['refresh', ''],
  ]);
  expect((await list(ada)).status).toBe(401);
});

test('another account’s session is reported as not found, like an unknown one', async () => {
  const [ada, ben] = [await signUp(world, gateway), await signUp(world, gateway, 'ben')];
  const id = await newest(ben);

  const foreign = await end(ada, id);
  const nobody = await end(ada, crypto.randomUUID());
  const shapeless = await end(ada, 'x');

  for (const answer of [foreign, nobody, shapeless])
    expect([answer.status, answer.body]).toEqual([404, nobody.body]);
  expect((await credentialStatuses(ben))[0]).toBe(200);
});

test('signing out everywhere ends all sessions of the account, including the current one, and no others', async () => {
  const [ada, ben] = [await signUp(world, gateway), await signUp(world, gateway, 'ben')];
  const phone = await elsewhere(ada);

  const ended = await end(ada);

  expect([ended.status, [...ended.cookies]]).toEqual([
    204,
    [
      ['session', ''],
      ['refresh', ''],
    ],
  ]);
  for (const who of [ada, phone]) expect(await credentialStatuses(who)).toEqual([401, 401]);
  expect(await credentialStatuses(ben)).toEqual([200, 200]);
  const rows = await world.query(
    `SELECT action, credential_id IS NOT NULL AS by_session FROM audit_event
     WHERE scope_id = $1 AND action LIKE 'session.end%'`,
    [ada.account_id],
  );
  expect(rows).toEqual([{ action: 'session.end_all', by_session: true }]);
});

test('an address change requested by a session cannot be confirmed once another session has ended it', async () => {
  const ada = await signUp(world, gateway);
  const thief = await elsewhere(ada);
  const theirs = await linkRequestedBy(thief);
  const own = await linkRequestedBy(ada);

  expect((await end(ada, await idOf(thief))).status).toBe(204);

  expect(await confirm(theirs)).toBe(422);
  expect((await end(ada, await idOf(ada))).status).toBe(204);
  expect(await confirm(own)).toBe(200);
});

test('a requested address change cannot be confirmed after signing out everywhere', async () => {
  const ada = await signUp(world, gateway);
  const theirs = await linkRequestedBy(await elsewhere(ada));

  expect((await end(ada)).status).toBe(204);

  expect(await confirm(theirs)).toBe(422);
});

const idOf = async (who: SignedUp) =>
  (await list(who)).body.data.find(({ current }) => current)!.id;
