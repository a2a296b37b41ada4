import { describe, expect, test } from 'vitest';
import { hashSecret, newToken } from '../../../../src/platform/secrets.ts';
import {
  createSsoRule,
  answer,
  challenge,
  codeOf,
  signUpGuarded,
  wrongCode,
} from '../../../support/people/factors.ts';
import {
  createPerson,
  newEmail,
  ownAddresses,
  sortedStatuses,
} from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const sso = createSsoRule();

const { world, gateway } = await useGateway(ownAddresses, {
  overrides: { organizations: sso.organizations },
});

const guarded = (name = 'ada') => signUpGuarded(world, gateway, name);
const sessionsOf = async ({ account_id }: SignedUp) =>
  (
    await world.query<{ amr: string[] }>(
      'SELECT amr FROM account_session WHERE account_id = $1 ORDER BY created_at',
      [account_id],
    )
  ).map(({ amr }) => amr);
const trailOf = async ({ account_id }: SignedUp) =>
  (
    await world.query<{ action: string; outcome: string }>(
      'SELECT action, outcome FROM audit_event WHERE scope_id = $1 ORDER BY at, id',
      [account_id],
    )
  ).map(({ action, outcome }) => (outcome === 'done' ? action : `${action} ${outcome}`));
const codeAnd = (token: string, code: string) => answer(gateway, { token, code });
/** Creates this many pending sign-ins: one through the API, the others as copies of its row. */
async function manyChallenges(who: SignedUp, count: number): Promise<string[]> {
  const { token } = (await challenge(who)).second_factor;
  const others = Array.from({ length: count - 1 }, newToken);
  await world.query(
    `INSERT INTO sign_in_challenge (token_hash, account_id, amr, expires_at)
     SELECT other, account_id, amr, expires_at
     FROM sign_in_challenge, unnest($2::bytea[]) AS other WHERE token_hash = $1`,
    [hashSecret(token), others.map(hashSecret)],
  );
  return [token, ...others];
}

describe('a correct password of an account with a second factor', () => {
  test('starts a pending sign-in without a session or a cookie (decisions 9)', async () => {
    const ada = await guarded();
    const { status, body, cookies } = await createPerson(gateway.url).ask<object>({
      path: '/api/auth/login',
      body: { email: ada.email, password: ada.password },
    });

    expect([status, cookies.size]).toEqual([200, 0]);
    expect(body).toEqual({
      second_factor: {
        token: expect.stringMatching(/^[\w-]{43}$/),
        methods: ['totp', 'recovery_code'],
      },
    });
    expect(await sessionsOf(ada)).toHaveLength(1);
  });

  test('opens a session after a code of the app, which records both factors', async () => {
    const ada = await guarded();
    const { second_factor } = await challenge(ada);

    const { status, body, cookies } = await codeAnd(second_factor.token, codeOf(ada.secret));

    expect([status, body.user.id]).toEqual([200, ada.account_id]);
    expect([...cookies.keys()].toSorted()).toEqual(['refresh', 'session']);
    expect(await sessionsOf(ada)).toEqual([['pwd'], ['pwd', 'otp']]);
    const trail = await trailOf(ada);
    expect(trail.slice(-3)).toEqual(['totp.enable', 'session.challenge', 'session.create']);
  });

  test('opens a session after a recovery code, in any spelling, once per code', async () => {
    const ada = await guarded();
    const [code] = ada.recovery_codes;
    const typed = ` ${code!.toUpperCase().replaceAll('-', ' ')} `;

    const first = await codeAnd((await challenge(ada)).second_factor.token, typed);
    const again = await codeAnd((await challenge(ada)).second_factor.token, code!);

    expect([first.status, again.status]).toEqual([200, 401]);
    expect(await trailOf(ada)).toContain('recovery_codes.use');
    const state = await ada.person.ask({ path: '/api/user/second-factors', headers: ada.bearer });
    expect(state.body).toMatchObject({ totp: true, recovery_codes_left: 9 });
    const notices = () => world.mailbox.emails.filter(({ to }) => to === ada.email).slice(2);
    await expect
      .poll(() => notices().map(({ subject }) => subject))
      .toEqual(['A recovery code was used']);
    expect(notices()[0]!.text).not.toContain(code);
  });

  test('is required: a wrong password, an unknown address and an SSO member start no pending sign-in', async () => {
    const ada = await guarded();
    const login = (email: string, password: string) =>
      createPerson(gateway.url).ask({ path: '/api/auth/login', body: { email, password } });
    const wrong = await login(ada.email, 'quartz meadow tunnel 19');
    const unknown = await login(newEmail(), 'quartz meadow tunnel 19');
    sso.requiredOf = ada.account_id;
    const member = await login(ada.email, ada.password);

    expect(sortedStatuses([wrong, unknown, member])).toEqual([401, 401, 401]);
    expect([wrong.body, member.body]).toEqual([unknown.body, unknown.body]);
    expect(await trailOf(ada)).not.toContain('session.challenge');
  });
});

describe('a pending sign-in', () => {
  test('allows five attempts: the sixth is refused with 401 even if correct, and each failure is audited', async () => {
    const ada = await guarded();
    const { token } = (await challenge(ada)).second_factor;
    const wrong = [];
    for (let round = 0; round < 5; round += 1)
      wrong.push(await codeAnd(token, wrongCode(ada.secret)));

    const sixth = await codeAnd(token, codeOf(ada.secret));

    const details = wrong.map(({ body }) => body.errors[0]!.detail);
    const [code, over] = [{ pointer: '/code' }, { pointer: '/token' }];
    expect(sortedStatuses([...wrong, sixth])).toEqual(Array(6).fill(401));
    expect(details).toEqual([code, code, code, code, over]);
    expect(sixth.body).toEqual(wrong[4]!.body);
    expect((await trailOf(ada)).filter((one) => one === 'session.refuse refused')).toHaveLength(5);
  });

  test('allows five attempts even if many are concurrent', async () => {
    const ada = await guarded();
    const { token } = (await challenge(ada)).second_factor;
    const tries = Array.from({ length: 20 }, () => codeAnd(token, wrongCode(ada.secret)));

    expect(sortedStatuses(await Promise.all(tries))).toEqual(Array(20).fill(401));

    expect((await trailOf(ada)).filter((one) => one === 'session.refuse refused')).toHaveLength(5);
  });

  test.each(['otp', 'recovery'])(
    'is completed once by 20 concurrent uses of one %s code (S8)',
    async (kind) => {
      for (let round = 0; round < 3; round += 1) {
        const ada = await guarded();
        const tokens = await manyChallenges(ada, 20);
        const code = kind === 'otp' ? codeOf(ada.secret) : ada.recovery_codes[round]!;

        const answers = await Promise.all(tokens.map((token) => codeAnd(token, code)));

        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(await sessionsOf(ada)).toHaveLength(2);
      }
    },
  );

  test('opens one session for several correct codes at once, and spends one of them', async () => {
    const ada = await guarded();
    const { token } = (await challenge(ada)).second_factor;

    const answers = await Promise.all(
      ada.recovery_codes.slice(0, 5).map((code) => codeAnd(token, code)),
    );

    expect(sortedStatuses(answers)).toEqual([200, 401, 401, 401, 401]);
    const left = await world.query('SELECT FROM account_recovery_code WHERE account_id = $1', [
      ada.account_id,
    ]);
    expect(left).toHaveLength(9);
  });

  test('expires after five minutes of database time', async () => {
    const ada = await guarded();
    const age = (by: string) =>
      world.query(`UPDATE sign_in_challenge SET expires_at = expires_at - interval '${by}'`);
    const { token } = (await challenge(ada)).second_factor;
    await age('4 minutes 50 seconds');
    expect((await codeAnd(token, wrongCode(ada.secret))).body.errors[0]!.detail).toEqual({
      pointer: '/code',
    });

    await age('10 seconds');

    const late = await codeAnd(token, codeOf(ada.secret));
    expect([late.status, late.body.errors[0]!.detail]).toEqual([401, { pointer: '/token' }]);
  });

  test('is invalid once the account is deactivated', async () => {
    const ada = await guarded();
    const { token } = (await challenge(ada)).second_factor;
    await world.query(`UPDATE account SET status = 'deactivated' WHERE id = $1`, [ada.account_id]);

    expect((await codeAnd(token, codeOf(ada.secret))).status).toBe(401);
    expect(await sessionsOf(ada)).toHaveLength(1);
  });

  test.each([
    ['the password changes', 'POST', 'user/password', { password: 'another long good passphrase' }],
    ['all sessions are ended', 'DELETE', 'auth/sessions', {}],
  ])('is invalid once %s', async (_, method, path, fields) => {
    const ada = await guarded();
    const { token } = (await challenge(ada)).second_factor;
    const { status } = await ada.person.ask({
      method,
      path: `/api/${path}`,
      body: { current_password: ada.password, ...fields },
      headers: ada.bearer,
    });
    expect(status).toBe(204);

    expect((await codeAnd(token, codeOf(ada.secret))).status).toBe(401);
  });

  test('is invalid once an organization requires SSO', async () => {
    const ada = await guarded();
    const { token } = (await challenge(ada)).second_factor;
    sso.requiredOf = ada.account_id;

    expect((await codeAnd(token, codeOf(ada.secret))).status).toBe(401);
  });

  test('is invalid once the last factor is removed, and the password alone signs in again', async () => {
    const ada = await guarded();
    const { token } = (await challenge(ada)).second_factor;
    await ada.person.ask({
      method: 'DELETE',
      path: '/api/user/totp',
      body: { current_password: ada.password },
      headers: ada.bearer,
    });

    expect((await codeAnd(token, ada.recovery_codes[0]!)).status).toBe(401);
    const { status, cookies } = await createPerson(gateway.url).ask({
      path: '/api/auth/login',
      body: { email: ada.email, password: ada.password },
    });
    expect([status, cookies.size]).toEqual([200, 2]);
  });

  test('does not accept the code of another account', async () => {
    const [ada, ben] = [await guarded('ada'), await guarded('ben')];
    const { token } = (await challenge(ada)).second_factor;

    expect((await codeAnd(token, codeOf(ben.secret))).status).toBe(401);
    expect((await codeAnd(token, ben.recovery_codes[0]!)).status).toBe(401);
  });

  test('cannot be completed from a foreign page: 403 (rel:B6-1)', async () => {
    const ask = createPerson(gateway.url).ask({
      path: '/api/auth/login/second-factor',
      body: { token: 'x', code: '123456' },
      headers: { origin: 'https://evil.example' },
    });

    expect((await ask).status).toBe(403);
  });
});
