import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../support/people/authenticator.ts';
import type {
  Authenticator,
  Tampering,
  RequestOptions,
} from '../../../support/people/authenticator.ts';
import {
  createSsoRule,
  addPasskey,
  answer,
  challenge,
  passkeyOptions,
  signInByPasskey,
} from '../../../support/people/factors.ts';
import type { Errors } from '../../../support/people/factors.ts';
import {
  createPerson,
  ownAddresses,
  signUp,
  sortedStatuses,
} from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const sso = createSsoRule();
const { world, gateway } = await useGateway(ownAddresses, {
  overrides: { organizations: sso.organizations },
});

type PasskeyUser = SignedUp & { authenticator: Authenticator; passkey: string };

async function signUpWithPasskey(
  name = 'ada',
  options: { counts?: boolean } = {},
): Promise<PasskeyUser> {
  const person = await signUp(world, gateway, name);
  const authenticator = createAuthenticator(gateway.config.PUBLIC_URL, options);
  const { id } = await addPasskey(person, authenticator);
  return { ...person, authenticator, passkey: id };
}
const signIn = async ({ authenticator }: PasskeyUser, tampering: Tampering = {}) => {
  const { token, options } = await passkeyOptions(gateway);
  return signInByPasskey(gateway, { token, response: authenticator.get(options, tampering) });
};
const invalidResponses: [string, Tampering][] = [
  ['for another relying party', { rpId: 'evil.example' }],
  ['from another origin', { origin: 'https://evil.example' }],
  ['for another challenge', { challenge: 'A'.repeat(43) }],
  ['from a registration', { type: 'webauthn.create' }],
  ['without user verification', { userVerified: false }],
  ['without user presence', { userPresent: false }],
  ['with another key', { forged: true }],
  ['with an older counter', { counter: 0 }],
  ['for another account', { userHandle: 'AZCqqgAAcACAAAAAAAAAqg' }],
];

describe('a sign-in by passkey', () => {
  test('starts a session without a password or further factor', async () => {
    const ada = await signUpWithPasskey();

    const { status, body, cookies } = await signIn(ada);

    expect([status, body.user.id]).toEqual([200, ada.account_id]);
    expect([...cookies.keys()].toSorted()).toEqual(['refresh', 'session']);
    const [session] = await world.query<{ amr: string[] }>(
      'SELECT amr FROM account_session WHERE account_id = $1 ORDER BY created_at DESC',
      [ada.account_id],
    );
    expect(session!.amr).toEqual(['hwk', 'user']);
  });

  test('begins the same for everyone: without an identifier in the request or an account in the response', async () => {
    const [one, other] = [await passkeyOptions(gateway), await passkeyOptions(gateway)];

    const blank = (text: string, by: RequestOptions) => text.replaceAll(by.challenge, '');
    expect(blank(JSON.stringify(one.options), one.options)).toBe(
      blank(JSON.stringify(other.options), other.options),
    );
    expect(one.options).toMatchObject({
      rpId: new URL(gateway.config.DASHBOARD_URL).hostname,
      userVerification: 'required',
    });
    expect(one.options.allowCredentials ?? []).toEqual([]);
  });

  test.each(invalidResponses)(
    'signed %s is refused with 401 and starts no session',
    async (_, tampering) => {
      const ada = await signUpWithPasskey();
      await signIn(ada);

      const refused = await signIn(ada, tampering);

      expect([refused.status, refused.cookies.size]).toEqual([401, 0]);
      expect(refused.body.errors[0]!.code).toBe('authentication_error');
      expect((await signIn(ada)).status).toBe(200);
    },
  );

  test('with an unknown or removed passkey looks like a wrong signature', async () => {
    const ada = await signUpWithPasskey();
    const wrong = await signIn(ada, { forged: true });
    await world.query('DELETE FROM account_passkey WHERE id = $1', [ada.passkey]);

    const removed = await signIn(ada);
    const stranger = createAuthenticator(gateway.config.PUBLIC_URL);
    const unknown = await signIn({ ...ada, authenticator: stranger }, { userHandle: 'AAAA' });

    expect([removed.status, removed.body]).toEqual([401, wrong.body]);
    expect([unknown.status, unknown.body]).toEqual([401, wrong.body]);
  });

  test('without the user handle is refused', async () => {
    expect((await signIn(await signUpWithPasskey(), { userHandle: null })).status).toBe(401);
  });

  test('uses its challenge once: of 20 requests with one response, one succeeds (S8)', async () => {
    for (const counts of [true, false]) {
      const ada = await signUpWithPasskey('ada', { counts });
      const { token, options } = await passkeyOptions(gateway);
      const body = { token, response: ada.authenticator.get(options) };

      const answers = await Promise.all(
        Array.from({ length: 20 }, () => signInByPasskey(gateway, body)),
      );

      expect(sortedStatuses(answers)).toEqual([200, ...Array(19).fill(401)]);
      expect((await signInByPasskey(gateway, body)).status).toBe(401);
    }
  });

  test('fails with another token, after a wrong response, and after five minutes', async () => {
    const ada = await signUpWithPasskey();
    const started = await passkeyOptions(gateway);
    const other = await passkeyOptions(gateway);
    const right = () => ada.authenticator.get(started.options);
    expect((await signInByPasskey(gateway, { token: other.token, response: right() })).status).toBe(
      401,
    );
    const forged = ada.authenticator.get(started.options, { forged: true });
    expect(
      (await signInByPasskey(gateway, { token: started.token, response: forged })).status,
    ).toBe(401);
    expect(
      (await signInByPasskey(gateway, { token: started.token, response: right() })).status,
    ).toBe(401);
    const late = await passkeyOptions(gateway);
    await world.query('UPDATE passkey_challenge SET expires_at = now()');

    const response = ada.authenticator.get(late.options);
    expect((await signInByPasskey(gateway, { token: late.token, response })).status).toBe(401);
  });

  test('is refused for deactivated accounts and where an organization requires SSO', async () => {
    const [ada, ben] = [await signUpWithPasskey('ada'), await signUpWithPasskey('ben')];
    await world.query(`UPDATE account SET status = 'deactivated' WHERE id = $1`, [ada.account_id]);
    sso.requiredOf = ben.account_id;

    expect(sortedStatuses([await signIn(ada), await signIn(ben)])).toEqual([401, 401]);
  });

  test('is limited per client address after wrong responses', async () => {
    const ada = await signUpWithPasskey();
    const thief = createPerson(gateway.url);
    const attempts = [];
    for (let round = 0; round < 12; round += 1) {
      const { token, options } = await passkeyOptions(gateway, thief);
      const response = ada.authenticator.get(options, { forged: true });
      attempts.push((await signInByPasskey(gateway, { token, response }, thief)).status);
    }

    expect(attempts).toEqual([...Array(10).fill(401), 429, 429]);
    expect((await signIn(ada)).status).toBe(200);
  });
});

describe('as a second factor', () => {
  const begin = async (who: PasskeyUser) => {
    const { token, methods } = (await challenge(who)).second_factor;
    const { body } = await createPerson(gateway.url).ask<{ options: RequestOptions }>({
      path: '/api/auth/login/second-factor/options',
      body: { token },
    });
    return { token, methods, options: body.options };
  };

  test('a passkey of the account completes the sign-in; it is listed in the options and needs no handle', async () => {
    const ada = await signUpWithPasskey();
    const { token, methods, options } = await begin(ada);

    const passkey = ada.authenticator.get(options, { userHandle: null });
    const { status, body } = await answer(gateway, { token, passkey });

    expect(methods).toEqual(['passkey', 'recovery_code']);
    expect(options.allowCredentials).toMatchObject([{ id: ada.authenticator.id }]);
    expect([status, body.user.id]).toEqual([200, ada.account_id]);
    const [session] = await world.query<{ amr: string[] }>(
      'SELECT amr FROM account_session WHERE account_id = $1 ORDER BY created_at DESC',
      [ada.account_id],
    );
    expect(session!.amr).toEqual(['pwd', 'hwk', 'user']);
  });

  test.each(invalidResponses)('a signature %s is refused with 401', async (_, tampering) => {
    const ada = await signUpWithPasskey();
    await signIn(ada);
    const { token, options } = await begin(ada);

    const passkey = ada.authenticator.get(options, tampering);

    expect((await answer(gateway, { token, passkey })).status).toBe(401);
  });

  test("another account's passkey, and a challenge of a passkey sign-in, are refused", async () => {
    const [ada, ben] = [await signUpWithPasskey('ada'), await signUpWithPasskey('ben')];
    const { token, options } = await begin(ada);
    const foreign = ben.authenticator.get(options);
    expect((await answer(gateway, { token, passkey: foreign })).status).toBe(401);
    const free = await passkeyOptions(gateway);

    const passkey = ada.authenticator.get(free.options);
    expect((await answer(gateway, { token, passkey })).status).toBe(401);
    expect((await answer(gateway, { token: free.token, passkey })).status).toBe(401);
  });

  test('each response counts as an attempt', async () => {
    const ada = await signUpWithPasskey();
    const { token } = await begin(ada);
    const ask = () =>
      createPerson(gateway.url).ask<{ options: RequestOptions } & Errors>({
        path: '/api/auth/login/second-factor/options',
        body: { token },
      });
    for (let round = 0; round < 5; round += 1) {
      const passkey = ada.authenticator.get((await ask()).body.options, { forged: true });
      expect((await answer(gateway, { token, passkey })).status).toBe(401);
    }

    expect((await ask()).status).toBe(401);
  });
});

const LIVE = 'the token of a started sign-in';

test('arbitrary input is refused with 400 or 401, and too many attempts with 429 (P14)', async () => {
  const ada = await signUpWithPasskey();
  const right = ada.authenticator.get((await passkeyOptions(gateway)).options);
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 400 });
  const encoded = bytes.map((one) => Buffer.from(one).toString('base64url'));
  const names = fc.constantFrom(...Object.keys(right.response));
  const inner = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(names, fc.oneof(fc.string(), encoded)),
    fc.tuple(names, encoded).map(([name, value]) => ({ ...right.response, [name]: value })),
  );
  const response = fc.oneof(
    fc.jsonValue(),
    inner.map((one) => ({ ...right, response: one })),
  );
  const token = fc.oneof(fc.constant(LIVE), fc.jsonValue());
  const requests = fc.oneof(
    fc.tuple(fc.constant('/api/auth/passkey'), fc.record({ token, response })),
    fc.tuple(
      fc.constant('/api/auth/login/second-factor'),
      fc.record(
        { token, code: fc.oneof(fc.jsonValue(), fc.string()), passkey: response },
        { requiredKeys: ['token'] },
      ),
    ),
  );
  const { token: pendingToken } = (await challenge(ada)).second_factor;

  await fc.assert(
    fc.asyncProperty(requests, async ([path, body]) => {
      await world.query('UPDATE sign_in_challenge SET tries = 0');
      const live = path.endsWith('passkey') ? (await passkeyOptions(gateway)).token : pendingToken;
      const sent = body.token === LIVE ? { ...body, token: live } : body;
      const { status } = await createPerson(gateway.url).ask({ path, body: sent });
      expect([400, 401, 429]).toContain(status);
    }),
    { numRuns: 300 },
  );
});
