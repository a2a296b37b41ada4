import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../support/people/authenticator.ts';
import type { Authenticator, Tampering } from '../../../support/people/authenticator.ts';
import { whileSessionsEnd } from '../../../support/servers/ending.ts';
import { addPasskey, addTotp, creationOptions } from '../../../support/people/factors.ts';
import type { Errors } from '../../../support/people/factors.ts';
import { ownAddresses, signUp } from '../../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const ada = await signUp(world, gateway);

const newAuthenticator = () => createAuthenticator(gateway.config.PUBLIC_URL);
const as = <Body = Errors>({ person, bearer }: SignedUp, ask: SendRequest) =>
  person.ask<Body>({ ...ask, headers: bearer });
const create = (who: SignedUp, body: unknown) => as(who, { path: '/api/user/passkeys', body });
const attest = async (who: SignedUp, one: Authenticator, tampering: Tampering = {}) =>
  create(who, { name: 'Phone', response: one.create(await creationOptions(who), tampering) });
const list = async (who: SignedUp) =>
  (await as<{ data: { id: string; name: string }[] }>(who, { path: '/api/user/passkeys' })).body
    .data;
const remove = (who: SignedUp, id: string, current_password: unknown = who.password) =>
  as(who, { method: 'DELETE', path: `/api/user/passkeys/${id}`, body: { current_password } });
const rename = (who: SignedUp, id: string, name: unknown) =>
  as(who, { method: 'PATCH', path: `/api/user/passkeys/${id}`, body: { name } });
const codes = ({ body }: { body: Errors }) => body.errors.map(({ code }) => code);

describe('a passkey', () => {
  test('is added, listed, renamed and removed, each with a notice or an audit row', async () => {
    const ben = await signUp(world, gateway, 'ben');

    const { id, recovery_codes } = await addPasskey(ben, newAuthenticator());

    expect(recovery_codes).toHaveLength(10);
    expect((await world.mailbox.next(ben.email)).subject).toBe(
      'Your two-factor authentication was changed',
    );
    const renamed = await rename(ben, id, ' Lapto\u0301p ');
    const passkey = { id, name: 'Lapt\u00f3p', created_at: expect.any(String), last_used_at: null };
    expect([renamed.status, renamed.body]).toEqual([200, passkey]);
    const state = await as<object>(ben, { path: '/api/user/second-factors' });
    expect(state.body).toEqual({ totp: false, passkeys: [passkey], recovery_codes_left: 10 });
    expect((await remove(ben, id)).status).toBe(204);
    expect((await world.mailbox.next(ben.email)).subject).toBe(
      'Your two-factor authentication was changed',
    );
    expect(await list(ben)).toEqual([]);
    const trail = await world.query<{ action: string }>(
      `SELECT action FROM audit_event WHERE scope_id = $1 AND action LIKE 'passkey.%'
       ORDER BY at, id`,
      [ben.account_id],
    );
    const acts = ['passkey.create', 'passkey.update', 'passkey.delete'];
    expect(trail.map(({ action }) => action)).toEqual(acts);
  });

  test('added to an authenticator app brings no new recovery codes; they are deleted with the last factor', async () => {
    const ben = await signUp(world, gateway, 'ben');
    await addTotp(world, ben);

    const { id, recovery_codes } = await addPasskey(ben, newAuthenticator());

    expect(recovery_codes).toBe(null);
    await as(ben, {
      method: 'DELETE',
      path: '/api/user/totp',
      body: { current_password: ben.password },
    });
    const left = () =>
      world.query('SELECT FROM account_recovery_code WHERE account_id = $1', [ben.account_id]);
    expect(await left()).toHaveLength(10);
    await remove(ben, id);
    expect(await left()).toHaveLength(0);
  });

  test('added concurrently with an authenticator app brings one set of recovery codes', async () => {
    const ben = await signUp(world, gateway, 'ben');
    const added = await Promise.all([addTotp(world, ben), addPasskey(ben, newAuthenticator())]);

    const sets = added.flatMap(({ recovery_codes }) => (recovery_codes === null ? [] : 1));
    expect(sets).toHaveLength(1);
  });

  test.each<[string, Tampering]>([
    ['for another site', { rpId: 'evil.example' }],
    ['from a foreign page', { origin: 'https://evil.example' }],
    ['with another challenge', { challenge: 'A'.repeat(43) }],
    ['for a sign-in', { type: 'webauthn.get' }],
    ['without user verification', { userVerified: false }],
    ['without user presence', { userPresent: false }],
  ])('created %s is refused with 422, and nothing is saved', async (_, tampering) => {
    const answer = await attest(ada, newAuthenticator(), tampering);

    expect([answer.status, codes(answer)]).toEqual([422, ['passkey_invalid']]);
    expect(await list(ada)).toEqual([]);
  });

  test('requires a challenge of its own session, once, within five minutes (P7)', async () => {
    const ben = await signUp(world, gateway, 'ben');
    const [one, other] = [newAuthenticator(), newAuthenticator()];
    const options = await creationOptions(ben);
    const body = { name: 'x', response: one.create(options) };
    expect((await create(ada, body)).status).toBe(422);
    expect((await create(ben, body)).status).toBe(201);
    expect((await create(ben, body)).status).toBe(422);
    expect((await create(ben, { name: 'x', response: other.create(options) })).status).toBe(422);

    const late = other.create(await creationOptions(ben));
    await world.query(`UPDATE passkey_challenge SET expires_at = now()`);

    expect((await create(ben, { name: 'x', response: late })).status).toBe(422);
    expect(await list(ben)).toHaveLength(1);
  });

  test('is not added by a session that ended while its request waited (P4)', async () => {
    const ben = await signUp(world, gateway, 'ben');
    const response = newAuthenticator().create(await creationOptions(ben));

    const { status } = await whileSessionsEnd(world, ben.account_id, () =>
      create(ben, { name: 'x', response }),
    );

    expect(status).toBe(401);
    const rows = 'SELECT FROM account_passkey WHERE account_id = $1';
    expect(await world.query(rows, [ben.account_id])).toEqual([]);
  });

  test('looks like one that does not exist if it belongs to another account', async () => {
    const ben = await signUp(world, gateway, 'ben');
    const one = newAuthenticator();
    const { id } = await addPasskey(ben, one);

    const again = await attest(ada, one);

    expect(again.body).toEqual((await attest(ada, newAuthenticator(), { rpId: 'x' })).body);
    const unknown = crypto.randomUUID();
    for (const act of [
      (passkeyId: string) => remove(ada, passkeyId),
      (passkeyId: string) => rename(ada, passkeyId, 'mine'),
    ]) {
      const [foreign, random] = [await act(id), await act(unknown)];
      expect([foreign.status, foreign.body]).toEqual([404, random.body]);
    }
    expect(await list(ben)).toMatchObject([{ id, name: 'Phone' }]);
  });

  test('can be added and removed only with reauthentication (decisions 9)', async () => {
    const ben = await signUp(world, gateway, 'ben');
    const { id } = await addPasskey(ben, newAuthenticator());
    const begin = (current_password?: string) =>
      as(ben, { path: '/api/user/passkeys/options', body: { current_password } });

    for (const answer of [
      await begin(),
      await begin('quartz meadow tunnel 19'),
      await remove(ben, id, 'quartz meadow tunnel 19'),
      await as(ben, { method: 'DELETE', path: `/api/user/passkeys/${id}` }),
    ])
      expect([answer.status, codes(answer)]).toEqual([403, ['reauthentication_required']]);
    expect(await list(ben)).toHaveLength(1);
  });

  test('is refused beyond twenty', async () => {
    const ben = await signUp(world, gateway, 'ben');
    await world.query(
      `INSERT INTO account_passkey
         (id, account_id, credential_id, public_key, counter, transports, name)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), '', 0, '{}', 'x'
       FROM generate_series(1, 20)`,
      [ben.account_id],
    );

    expect(codes(await attest(ben, newAuthenticator()))).toEqual(['limit_reached']);
  });

  test('cannot be removed if it is the only way to sign in', async () => {
    const ben = await signUp(world, gateway, 'ben');
    const { id } = await addPasskey(ben, newAuthenticator());
    await world.query('UPDATE account SET password_hash = NULL WHERE id = $1', [ben.account_id]);

    expect(codes(await remove(ben, id))).toEqual(['last_way_in']);
    expect(await list(ben)).toHaveLength(1);
  });

  test.each(['', '   ', 'x'.repeat(65), 'a\u0000b', 'a\nb', 'a\n', 5, null])(
    'is rejected with 400 if its name is %j',
    async (name) => {
      const response = newAuthenticator().create(await creationOptions(ada));

      expect((await create(ada, { name, response })).status).toBe(400);
      expect((await rename(ada, crypto.randomUUID(), name)).status).toBe(400);
    },
  );
});
