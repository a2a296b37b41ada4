import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  createKey,
  createPerson,
  newEmail,
  ownAddresses,
  selectTools,
  signUp,
  tokenOf,
} from '../../../support/people/people.ts';
import type { Answer, SignedUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import type { Gateway } from '../../../support/worlds/world.ts';
import { ask as askMcp, toolId } from '../../mcp/key-holder.ts';
import { createChanging } from '../email-change/changing-email.ts';
import { concurrentRequests, deleteAt, openStream, rowsWith } from './deleting.ts';

const owned: { id: string; name: string }[] = [];
const organizations = {
  requiresSso: async () => false,
  solelyOwnedOrganizations: async () => owned,
};

const { world, gateway } = await useGateway(ownAddresses, { overrides: { organizations } });
const { PUBLIC_URL } = gateway.config;
const otherGateway = await world.gateway({ env: { PUBLIC_URL }, overrides: { organizations } });

interface Errors {
  errors: { code: string; detail: unknown }[];
}
const remove = (who: SignedUp, fields: object = {}, at = gateway) =>
  deleteAt<Errors>(at.url, who, fields);
const refusals = ({ status, body }: Answer<Errors>) => [
  status,
  ...body.errors.map(({ code, detail }) => [code, detail]),
];
const driftOf = ({ service }: Gateway) => Array.fromAsync(service.drift({ repair: false }));

/** Creates an account with a row in every module. */
async function completePerson(name: string) {
  const person = await signUp(world, gateway, name);
  await selectTools(person, ['calculator', 'hash']);
  const keys = [await createKey(person), await createKey(person)];
  const changing = createChanging(world, gateway);
  const former = person.email;
  const email = newEmail('new');
  await changing.move(person, former, email);
  await changing.linkFor(person, newEmail('third'));
  const { body } = await person.person.ask<{ access_token: string }>({
    path: '/api/auth/login',
    body: { email, password: person.password },
  });
  const bearer = { authorization: `Bearer ${body.access_token}` };
  return { ...person, email, former, keys, bearer };
}

test('every credential becomes invalid with the account, on every instance (P4)', async () => {
  const ada = await signUp(world, gateway, 'ada');
  await selectTools(ada, ['calculator']);
  const { secret } = await createKey(ada);
  const gateways = [gateway, otherGateway];
  const keyed = (at: Gateway, key: string) =>
    createPerson(at.url).ask({ path: '/api/me/mcp-settings', headers: { 'x-api-key': key } });
  const statusOfMcp = async (at: Gateway) =>
    (await askMcp(`${at.url}/mcp`, { 'x-api-key': secret }, 'tools/list')).status;
  const streams = await Promise.all(gateways.map((at) => openStream(at, secret)));
  for (const at of gateways) expect(await statusOfMcp(at)).toBe(200);

  const deleted = await remove(ada);

  expect(deleted.status).toBe(204);
  expect(deleted.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^session=; Max-Age=0/),
    expect.stringMatching(/^refresh=; Max-Age=0/),
  ]);
  for (const at of gateways) {
    const session = await createPerson(at.url).ask({
      path: '/api/user/profile',
      headers: ada.bearer,
    });
    const refreshed = await createPerson(at.url).ask({
      method: 'POST',
      path: '/api/auth/refresh',
      headers: { cookie: `refresh=${ada.cookies.get('refresh')!}` },
    });
    const unknown = await keyed(at, `sk_${crypto.randomUUID()}`);
    const key = await keyed(at, secret);
    expect([session.status, refreshed.status, key.status]).toEqual([401, 401, 401]);
    expect(key.body).toEqual(unknown.body);
    expect(await statusOfMcp(at)).toBe(401);
  }
  for (const stream of streams) expect(await stream.next()).toBeNull();
  const login = { path: '/api/auth/login', body: { email: ada.email, password: ada.password } };
  expect((await ada.person.ask(login)).status).toBe(401);
});

test('only history without the address remains, and no tuples', async () => {
  const ada = await completePerson('ada');
  expect(await rowsWith(world, ada.account_id)).not.toEqual([]);

  expect((await remove(ada)).status).toBe(204);

  expect(await rowsWith(world, ada.account_id)).toEqual([]);
  expect(await rowsWith(world, ada.former, true)).toEqual([]);
  // Its own address may remain until the e-mail about the deletion is sent.
  await expect.poll(() => rowsWith(world, ada.email, true), { timeout: 10_000 }).toEqual([]);
  for (const { id } of ada.keys) expect(await rowsWith(world, id)).toEqual([]);
  expect(await driftOf(gateway)).toEqual([]);
  const events = await world.query(
    `SELECT action, actor_id, credential_id IS NOT NULL AS by_session FROM audit_event
     WHERE scope_id = $1 AND action IN ('account.verify', 'account.delete') ORDER BY id`,
    [ada.account_id],
  );
  expect(events).toEqual([
    { action: 'account.verify', actor_id: ada.account_id, by_session: false },
    { action: 'account.delete', actor_id: ada.account_id, by_session: true },
  ]);
});

test.each([
  ['de', 'Ihr Konto wurde gelöscht'],
  ['fi', 'Your account was deleted'],
])('an e-mail in the account’s language (%s) notifies its address once', async (locale, text) => {
  const ada = await signUp(world, gateway, 'ada');
  const edit = { method: 'PATCH', path: '/api/user/profile', body: { locale } };
  await ada.person.ask({ ...edit, headers: ada.bearer });

  expect((await remove(ada)).status).toBe(204);

  await expect.poll(() => rowsWith(world, ada.email), { timeout: 10_000 }).toEqual([]);
  const messages = world.mailbox.emails.filter(({ to }) => to === ada.email);
  expect(messages.map(({ subject }) => subject).slice(1)).toEqual([text]);
  expect(messages[1]!.html).not.toContain('href');
});

test('e-mails and cooldowns of another account whose address was requested are not deleted', async () => {
  const [ada, ben] = [await signUp(world, gateway, 'ada'), await signUp(world, gateway, 'ben')];
  const reset = async () => {
    const captcha_token = await ben.person.captcha();
    const body = { email: ben.email, captcha_token };
    await ben.person.ask({ path: '/api/auth/password/reset', body });
    await latest(ben.email);
  };
  await reset();
  await createChanging(world, gateway).linkFor(ada, ben.email);
  const ofBen = async () => [
    ...(await rowsWith(world, ben.email)),
    ...(await rowsWith(world, ben.account_id)),
  ];
  const before = (await ofBen()).filter((row) => !row.startsWith('email_change'));

  expect((await remove(ada)).status).toBe(204);

  expect(await ofBen()).toEqual(before);
  expect(before.filter((row) => row.startsWith('mail_cooldown'))).toHaveLength(1);
});

test('both addresses of a deleted account are free at once, and a new account inherits no data', async () => {
  const ada = await completePerson('ada');
  expect((await remove(ada)).status).toBe(204);

  for (const email of [ada.former, ada.email]) {
    await ada.person.register({ email });
    const token = tokenOf(await latest(email));
    await ada.person.ask({ path: '/api/auth/verify-email', body: { token } });
    const { status, body } = await ada.person.ask<{ user: { id: string }; access_token: string }>({
      path: '/api/auth/login',
      body: { email, password: ada.password },
    });
    expect(status).toBe(200);
    expect(body.user.id).not.toBe(ada.account_id);
    const headers = { authorization: `Bearer ${body.access_token}` };
    const read = async (path: string) => (await ada.person.ask({ path, headers })).body;
    expect(await read('/api/keys')).toEqual({ data: [], next_cursor: null });
    expect(await read('/api/me/mcp-settings')).toEqual({ tools: [], platform_prompts: [] });
    expect(JSON.stringify(await read('/api/me/audit'))).not.toContain(ada.account_id);
  }
});

const presence = ['reauthentication_required', { pointer: '/current_password' }];
const mismatch = ['confirmation_mismatch', { pointer: '/confirm' }];
const shape = (pointer: string) => ['invalid_body', { pointer }];
test.each<[string, object, unknown[]]>([
  ['no confirmation', { confirm: undefined }, [400, shape('/confirm')]],
  ['a confirmation that is true', { confirm: true }, [400, shape('/confirm')]],
  ['a password that is a number', { current_password: 5 }, [400, shape('/current_password')]],
  ['no password', { current_password: undefined }, [403, presence]],
  ['a wrong password', { current_password: 'wrong horse battery' }, [403, presence]],
  [
    'neither a password nor the correct address',
    { current_password: '', confirm: 'x' },
    [403, presence],
  ],
  ['another address', { confirm: 'eve@example.com' }, [422, mismatch]],
  ['the word “delete” alone', { confirm: 'delete' }, [422, mismatch]],
  ['an empty confirmation', { confirm: '' }, [422, mismatch]],
])('%s deletes nothing', async (_, fields, expected) => {
  const ada = await signUp(world, gateway, 'ada');

  const answer = await remove(ada, fields);

  expect(refusals(answer)).toEqual(expected);
  expect((await ada.person.ask({ path: '/api/user/profile', headers: ada.bearer })).status).toBe(
    200,
  );
});

test('a missing body gets 400, a missing session 401, a key 403 (rel:B1-12, rel:B2-1)', async () => {
  const ada = await signUp(world, gateway, 'ada');
  const { secret } = await createKey(ada);
  const ask = (headers: Record<string, string>) =>
    ada.person.ask<Errors>({ method: 'DELETE', path: '/api/user/account', headers });

  expect((await ask({ ...ada.bearer, 'content-type': 'application/json' })).status).toBe(400);
  expect((await ask({})).status).toBe(401);
  expect(refusals(await ask({ 'x-api-key': secret }))[0]).toBe(403);
});

test('the last owner of organizations is refused with 422 and their list, and nothing is deleted', async () => {
  const ada = await signUp(world, gateway, 'ada');
  owned.push({ id: '0190aaaa-0000-7000-8000-00000000000a', name: 'Analytical Engines' });

  const answer = await remove(ada);
  const detail = { organizations: [...owned] };
  owned.pop();

  expect(refusals(answer)).toEqual([422, ['last_owner', detail]]);
  expect((await remove(ada, { confirm: ada.email.toUpperCase() })).status).toBe(204);
});

test('an account without a password requires a recent sign-in; one without an address, the word “delete”', async () => {
  const ada = await signUp(world, gateway, 'ada');
  await world.query('UPDATE account SET email = NULL, password_hash = NULL WHERE id = $1', [
    ada.account_id,
  ]);
  const signedIn = (interval: string) =>
    world.query(
      `UPDATE account_session SET auth_time = now() - $1::interval WHERE account_id = $2`,
      [interval, ada.account_id],
    );
  const without = { current_password: undefined, confirm: 'delete' };

  await signedIn('10 minutes 1 second');
  expect(refusals(await remove(ada, without))).toEqual([403, ['reauthentication_required', null]]);
  await signedIn('9 minutes');
  expect(refusals(await remove(ada, { ...without, confirm: ada.email }))).toEqual([422, mismatch]);
  expect((await remove(ada, without)).status).toBe(204);
});

test('no row of the account survives concurrent requests, and none of them gets 500', async () => {
  const seen = new Map<string, Set<number>>();
  for (let round = 0; round < 6; round += 1) {
    const ada = await signUp(world, gateway, 'ada');
    await Promise.all(
      [0, 1, 2].flatMap((at) => concurrentRequests(ada, at % 2 ? gateway : otherGateway, seen)),
    );
    expect(await rowsWith(world, ada.account_id)).toEqual([]);
  }
  for (const [name, statuses] of seen)
    for (const status of statuses) expect(allowed, `${name}: ${status}`).toContain(status);
  expect(await driftOf(gateway)).toEqual([]);
});

test('a request that waited while its account was deleted is refused with 401 and writes nothing', async () => {
  const ada = await signUp(world, gateway, 'ada');
  const where = `id = '${ada.account_id}'`;
  const deleted = world.query(
    `BEGIN; SELECT FROM authz_scope WHERE ${where} FOR UPDATE; SELECT pg_sleep(1);
     DELETE FROM account WHERE ${where}; COMMIT`,
  );
  await pause(300);

  const { status } = await ada.person.ask({
    method: 'PUT',
    path: '/api/me/mcp-settings',
    body: { tools: [toolId('calculator')], platform_prompts: [] },
    headers: ada.bearer,
  });
  await deleted;

  expect(status).toBe(401);
});

/** Allowed statuses before, during and after the deletion; 503: the request waited too long. */
const allowed = [200, 201, 202, 204, 401, 403, 404, 503];

/** Waits until all e-mails are sent and returns the newest one to the address with a link. */
async function latest(email: string) {
  const waiting = () => world.query('SELECT FROM mail_job WHERE outcome IS NULL');
  await expect.poll(async () => (await waiting()).length).toBe(0);
  return world.mailbox.emails.findLast(({ to, text }) => to === email && text.includes('#token='))!;
}
