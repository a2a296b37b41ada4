import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSecrets } from '../../../../src/platform/secrets.ts';
import { addTotp, answer, challenge, codeOf, wrongCode } from '../../../support/people/factors.ts';
import type { Errors } from '../../../support/people/factors.ts';
import { createPerson, ownAddresses, signUp } from '../../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../../support/people/people.ts';
import { shiftedClock } from '../../../support/worlds/shifted-clock.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { startChildGateway } from '../../attack/child-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);

const as = <Body = Errors>({ person, bearer }: SignedUp, ask: SendRequest) =>
  person.ask<Body>({ ...ask, headers: bearer });
const start = (who: SignedUp, current_password: unknown = who.password) =>
  as<{ secret: string; otpauth_uri: string } & Errors>(who, {
    path: '/api/user/totp',
    body: { current_password },
  });
const confirm = (who: SignedUp, code: unknown) =>
  as<{ recovery_codes: string[] } & Errors>(who, {
    path: '/api/user/totp/confirm',
    body: { code },
  });
const stop = (who: SignedUp, current_password: unknown = who.password) =>
  as(who, { method: 'DELETE', path: '/api/user/totp', body: { current_password } });
const renew = (who: SignedUp, current_password: unknown = who.password) =>
  as<{ recovery_codes: string[] } & Errors>(who, {
    path: '/api/user/recovery-codes',
    body: { current_password },
  });
const stateOf = async (who: SignedUp) =>
  (await as<object>(who, { path: '/api/user/second-factors' })).body;
const answerOf = async (who: SignedUp, code: string | (() => string)) => {
  const { token } = (await challenge(who)).second_factor;
  if (typeof code === 'string') return answer(gateway, { token, code });
  await avoidPeriodBoundary();
  return answer(gateway, { token, code: code() });
};
const off = { totp: false, recovery_codes_left: 0 };

describe('an authenticator app', () => {
  test('is enabled by its first code, with ten recovery codes and an e-mail', async () => {
    const ada = await signUp(world, gateway);
    const { status, body } = await start(ada);

    expect(status).toBe(200);
    expect(body.secret).toMatch(/^[A-Z2-7]{32}$/);
    const uri = new URL(body.otpauth_uri);
    expect([uri.protocol, uri.host, uri.searchParams.get('secret')]).toEqual([
      'otpauth:',
      'totp',
      body.secret,
    ]);
    expect(decodeURIComponent(uri.pathname)).toContain(`toolgate:${ada.email}`);
    expect(await stateOf(ada)).toMatchObject(off);
    const confirmed = await confirm(ada, codeOf(body.secret));

    expect(confirmed.status).toBe(200);
    expect(new Set(confirmed.body.recovery_codes).size).toBe(10);
    for (const code of confirmed.body.recovery_codes)
      expect(code).toMatch(/^(?:[a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    expect(await stateOf(ada)).toMatchObject({ totp: true, recovery_codes_left: 10 });
    const message = await world.mailbox.next(ada.email);
    expect(message.subject).toBe('Your two-factor authentication was changed');
    expect(message.text).not.toContain(body.secret);
  });

  test('does not end existing sessions, and the next sign-in requires it (docs/security.md)', async () => {
    const ada = await signUp(world, gateway);
    const elsewhere = await createPerson(gateway.url).ask<{ access_token: string }>({
      path: '/api/auth/login',
      body: { email: ada.email, password: ada.password },
    });
    const other = { ...ada, bearer: { authorization: `Bearer ${elsewhere.body.access_token}` } };

    await addTotp(world, ada);

    expect(await stateOf(other)).toMatchObject({ totp: true });
    const cookie = `refresh=${elsewhere.cookies.get('refresh')}`;
    const renewal = { method: 'POST', path: '/api/auth/refresh', headers: { cookie } };
    expect((await ada.person.ask(renewal)).status).toBe(200);
    expect((await challenge(ada)).second_factor.methods).toContain('totp');
  });

  test('is not required at sign-in until it is confirmed', async () => {
    const ada = await signUp(world, gateway);
    await start(ada);

    const { cookies } = await createPerson(gateway.url).ask({
      path: '/api/auth/login',
      body: { email: ada.email, password: ada.password },
    });

    expect(cookies.size).toBe(2);
  });

  test('is confirmed only by a code from the latest seed, within ten minutes', async () => {
    const ada = await signUp(world, gateway);
    expect((await confirm(ada, '123456')).status).toBe(422);
    const first = (await start(ada)).body.secret;
    const second = (await start(ada)).body.secret;
    for (const code of [wrongCode(second), codeOf(first), '', 'abcdef', '12345', codeOf(second, 3)])
      expect((await confirm(ada, code)).status).toBe(422);
    const age = `UPDATE account_totp SET started_at = started_at - interval '10 minutes'`;
    await world.query(age);
    expect((await confirm(ada, codeOf(second))).status).toBe(422);
    expect(await stateOf(ada)).toMatchObject(off);
    const refused = await world.query(
      `SELECT outcome, actor_id, credential_id IS NOT NULL AS by_session, detail
       FROM audit_event WHERE scope_id = $1 AND action = 'totp.refuse'`,
      [ada.account_id],
    );
    const row = { outcome: 'refused', actor_id: ada.account_id, by_session: true, detail: null };
    expect(refused).toEqual(refused.map(() => row));
    expect(refused).toHaveLength(8);

    const third = (await start(ada)).body.secret;
    expect((await confirm(ada, codeOf(third))).status).toBe(200);
  });

  test('cannot be guessed during set-up: the eleventh code is refused with 429', async () => {
    const ada = await signUp(world, gateway);
    const { secret } = (await start(ada)).body;
    const attempts = await Promise.all(
      Array.from({ length: 13 }, () => confirm(ada, wrongCode(secret))),
    );

    expect(attempts.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array(10).fill(422),
      429,
      429,
      429,
    ]);
  });

  test('cannot be set up again while it is enabled: 409, and the old seed stays valid', async () => {
    const ada = await signUp(world, gateway);
    const { secret } = await addTotp(world, ada);

    expect((await start(ada)).status).toBe(409);
    expect((await confirm(ada, codeOf(secret))).status).toBe(422);
    expect((await answerOf(ada, codeOf(secret))).status).toBe(200);
  });

  test('is removed together with its recovery codes, and the account gets a notice', async () => {
    const ada = await signUp(world, gateway);
    await addTotp(world, ada);
    await world.mailbox.next(ada.email);

    expect((await stop(ada)).status).toBe(204);

    expect(await stateOf(ada)).toMatchObject(off);
    expect((await stop(ada)).status).toBe(404);
    expect((await world.mailbox.next(ada.email)).subject).toBe(
      'Your two-factor authentication was changed',
    );
    expect(
      await world.query('SELECT FROM account_totp WHERE account_id = $1', [ada.account_id]),
    ).toEqual([]);
  });

  test('requires reauthentication for set-up, removal and new recovery codes (decisions 9)', async () => {
    const ada = await signUp(world, gateway);
    await addTotp(world, ada);
    for (const act of [start, stop, renew])
      for (const password of [undefined, 'quartz meadow tunnel 19']) {
        const refused = await act(ada, password ?? null);
        expect(refused.status).toBe(password === undefined ? 400 : 403);
      }
    const bare = await as(ada, { method: 'DELETE', path: '/api/user/totp', body: {} });

    expect([bare.status, bare.body.errors[0]!.code]).toEqual([403, 'reauthentication_required']);
    expect(await stateOf(ada)).toMatchObject({ totp: true, recovery_codes_left: 10 });
  });

  test('requires a sign-in in the last ten minutes if the account has no password', async () => {
    const ada = await signUp(world, gateway);
    await world.query('UPDATE account SET password_hash = NULL WHERE id = $1', [ada.account_id]);
    expect((await start(ada, undefined)).status).toBe(200);
    await world.query(
      `UPDATE account_session SET auth_time = now() - interval '10 minutes' WHERE account_id = $1`,
      [ada.account_id],
    );

    expect((await start(ada, undefined)).status).toBe(403);
  });
});

describe('a code', () => {
  test.each([
    [-2, 401],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 401],
  ])('for the time step %i from now gets status %i', async (steps, status) => {
    const ada = await signUp(world, gateway);
    const { secret } = await addTotp(world, ada);

    expect((await answerOf(ada, () => codeOf(secret, steps))).status).toBe(status);
  });

  test('is valid once, and earlier ones are not valid after it', async () => {
    const ada = await signUp(world, gateway);
    const { secret } = await addTotp(world, ada);
    expect((await answerOf(ada, () => codeOf(secret))).status).toBe(200);
    const back = 'UPDATE account_totp SET last_step = last_step - 1 WHERE account_id = $1';

    expect((await answerOf(ada, () => codeOf(secret))).status).toBe(401);
    expect((await answerOf(ada, () => codeOf(secret, -1))).status).toBe(401);
    await world.query(back, [ada.account_id]);
    expect((await answerOf(ada, () => codeOf(secret, -1))).status).toBe(401);
    expect((await answerOf(ada, () => codeOf(secret))).status).toBe(200);
  });

  test('cannot sign in if it enabled the app', async () => {
    const ada = await signUp(world, gateway);
    const { secret } = (await start(ada)).body;
    await avoidPeriodBoundary();
    const code = codeOf(secret);
    await confirm(ada, code);

    expect((await answerOf(ada, code)).status).toBe(401);
    const [row] = await world.query<{ last_step: string }>(
      'SELECT last_step FROM account_totp WHERE account_id = $1',
      [ada.account_id],
    );
    expect(Number(row!.last_step)).toBeGreaterThan(Date.now() / 30_000 - 4);
  });
});

test('a gateway whose clock is ten minutes fast accepts codes for the correct time (F-C1)', async () => {
  const wrong = await startChildGateway(world, shiftedClock(600_000));
  onTestFinished(wrong.stop);
  const ada = await signUp(world, gateway);
  const { secret } = await addTotp(world, ada);
  const late = (await challenge(ada)).second_factor.token;
  const { token } = (await challenge(ada)).second_factor;
  await avoidPeriodBoundary();

  const later = await answer(wrong, { token: late, code: codeOf(secret, 20) });
  expect(later.status).toBe(401);
  expect((await answer(wrong, { token, code: codeOf(secret) })).status).toBe(200);
});

test('new recovery codes invalidate the old ones, and require a second factor', async () => {
  const ada = await signUp(world, gateway);
  expect((await renew(ada)).status).toBe(422);
  const { recovery_codes: old } = await addTotp(world, ada);

  const { status, body } = await renew(ada);

  expect([status, body.recovery_codes.length]).toEqual([201, 10]);
  expect((await answerOf(ada, old[0]!)).status).toBe(401);
  expect((await answerOf(ada, body.recovery_codes[0]!)).status).toBe(200);
});

test('seed and recovery codes are shown once and stored encrypted or hashed (P15)', async () => {
  const ada = await signUp(world, gateway);
  const { secret, recovery_codes } = await addTotp(world, ada);
  const secrets = [secret, ...recovery_codes, ...recovery_codes.map((c) => c.replaceAll('-', ''))];
  const tables = await world.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) => world.query(`SELECT to_jsonb(t)::text AS row FROM "${name}" t`)),
  );
  const dump = JSON.stringify(rows);
  const later = JSON.stringify([await stateOf(ada), world.mailbox.emails]);

  for (const one of secrets)
    for (const form of [one, Buffer.from(one).toString('hex'), Buffer.from(one).toString('base64')])
      expect(dump.includes(form) || later.includes(form)).toBe(false);
  const [row] = await world.query<{ seed: Buffer }>(
    'SELECT seed FROM account_totp WHERE account_id = $1',
    [ada.account_id],
  );
  const keys = createSecrets(gateway.config.SECRETS_KEY);
  expect(keys.decrypt('totp', ada.account_id, row!.seed)).toBe(secret);
});

/** Waits for the next time step if it is near, so that a code is created and checked in one. */
async function avoidPeriodBoundary(): Promise<void> {
  const left = 30 - ((Date.now() / 1_000) % 30);
  if (left < 3) await setTimeout(left * 1_000 + 50);
}
