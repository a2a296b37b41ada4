import { expect, test } from 'vitest';
import { createKey, createPerson, ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const ada = await signUp(world, gateway);

interface Profile {
  [field: string]: unknown;
  errors: { code: string; detail: unknown }[];
}
const path = '/api/user/profile';
const patch = (body: unknown, { person, bearer }: SignedUp = ada) =>
  person.ask<Profile>({ method: 'PATCH', path, body, headers: bearer });
const read = ({ person, bearer }: SignedUp = ada) => person.ask<Profile>({ path, headers: bearer });
const editsOf = (id: string) =>
  world.query<{ detail: unknown }>(
    `SELECT detail, credential_id FROM audit_event
     WHERE scope_id = $1 AND action = 'profile.update' ORDER BY id`,
    [id],
  );

test('only the fields sent change; the audit records only their names', async () => {
  const ben = await signUp(world, gateway, 'ben');
  const before = (await read(ben)).body;

  const first = await patch({ first_name: ' Benoît ', locale: 'fr-CH' }, ben);
  const second = await patch({ last_name: null }, ben);
  const third = await patch({}, ben);

  const expected = { ...before, first_name: 'Benoît', locale: 'fr' };
  expect([first.status, first.body]).toEqual([200, expected]);
  expect([second.status, second.body]).toEqual([200, { ...expected, last_name: null }]);
  expect([third.status, third.body]).toEqual([200, second.body]);
  expect((await read(ben)).body).toEqual(second.body);
  expect(await editsOf(ben.account_id)).toEqual([
    { detail: { fields: ['first_name', 'locale'] }, credential_id: expect.any(String) },
    { detail: { fields: ['last_name'] }, credential_id: expect.any(String) },
  ]);
});

test.each([
  [{ locale: 'xx' }, 'unsupported_locale', '/locale'],
  [{ locale: 'en_US' }, 'invalid_locale', '/locale'],
  [{ locale: null }, 'invalid_body', '/locale'],
  [{ locale: 5 }, 'invalid_body', '/locale'],
  [{ first_name: 5 }, 'invalid_body', '/first_name'],
  [{ first_name: 'a\u200bb' }, 'invalid_name', '/first_name'],
  [{ first_name: 'Eve', locale: 'xx' }, 'unsupported_locale', '/locale'],
  [{ last_name: 'x'.repeat(10_000) }, 'invalid_name', '/last_name'],
])(
  '%j is refused with 400 %s and changes nothing (rel:B4-3, rel:B2-8)',
  async (body, code, pointer) => {
    const before = (await read()).body;

    const answer = await patch(body);

    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((one) => [one.code, one.detail])).toEqual([[code, { pointer }]]);
    expect((await read()).body).toEqual(before);
  },
);

test('fields that clients may not set are ignored (rel:B2-30)', async () => {
  const before = (await read()).body;

  const answer = await patch({
    id: '0190aaaa-0000-7000-8000-000000000001',
    email: 'eve@example.com',
    verified: false,
    plan: 'enterprise',
    status: 'deactivated',
    created_at: '2000-01-01T00:00:00Z',
    password_hash: 'x',
  });

  expect([answer.status, answer.body]).toEqual([200, before]);
});

test('a key may not edit the profile, regardless of its grants (rel:B1-12)', async () => {
  const { secret } = await createKey(ada);
  const body = { first_name: 'Eve' };

  const answer = await createPerson(gateway.url).ask<Profile>({
    method: 'PATCH',
    path,
    body,
    headers: { 'x-api-key': secret },
  });

  expect([answer.status, answer.body.errors[0]!.code]).toEqual([403, 'interactive_only']);
});
