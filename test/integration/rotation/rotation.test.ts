import { expect, test } from 'vitest';
import { encryptedColumns } from '../../../src/rotation.ts';
import { createPerson, newEmail, oneAddress } from '../../support/people/people.ts';
import { useWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { createAda, HEADER, TOKEN } from './ada.ts';
import {
  accepted,
  current,
  done,
  idOf,
  mistaken,
  NEW,
  OLD,
  rotate,
  WRONG,
} from './rotation-world.ts';

const env = { ...oneAddress, OUTBOUND_ALLOW: '127.0.0.1', SECRETS_KEY: OLD };

test('while a new key is rolled out, every gateway accepts what the others wrote', async () => {
  const world = await useWorld(env);
  const steps = [
    await world.gateway({ env: accepted }),
    await world.gateway({ env: current }),
  ] as const;
  const ada = await createAda(world, steps[0]);

  // A gateway with the new key as a fallback serves next to one with the new key as current.
  for (const [from, to] of [steps, steps.toReversed() as [Gateway, Gateway]]) {
    const change = ada.askWith(ada.access_token);
    await change(from, ada.tool, { secrets: { TOKEN } }, 'PATCH');
    await change(from, ada.upstream, { headers: { authorization: HEADER } }, 'PATCH');
    expect([await ada.call(to), await ada.discover(to)]).toEqual([TOKEN, HEADER]);
    const session = await ada.signIn(from);
    expect(await ada.profile(to, session.body)).toBe(200);
    const renewed = await ada.refresh(to, session.cookies.get('refresh')!);
    expect(await ada.profile(from, renewed.body)).toBe(200);
    expect((await ada.refresh(from, renewed.cookies.get('refresh')!)).status).toBe(200);
    expect(await ada.page(to, (await ada.page(from)) as string)).toBeNull();
    const captcha_token = await createPerson(from.url).captcha();
    const body = { email: newEmail(), captcha_token };
    const path = '/api/auth/password/reset';
    expect((await createPerson(to.url).ask({ path, body })).status).toBe(200);
  }
}, 120_000);

test('rotate-secrets re-encrypts everything; gateways then run without the old key', async () => {
  const world = await useWorld(env);
  const before = await world.gateway();
  const ada = await createAda(world, before);
  const old = await ada.signIn(before);
  const during = await world.gateway({ env: current });
  expect([await ada.call(during), await ada.discover(during)]).toEqual([TOKEN, HEADER]);
  const kept = await ada.signIn(during);
  expect(kept.status).toBe(200);

  await addConnectionWithoutSecret(world);
  const first = await rotate(world, current).ended;
  const second = await rotate(world, current).ended;

  const lines = (secrets: number, headers: number, seeds: number) => [
    `Custom tool secrets: ${secrets} re-encrypted, 0 remain.`,
    `Upstream headers: ${headers} re-encrypted, 0 remain.`,
    'Upstream tokens: 0 re-encrypted, 0 remain.',
    'Upstream tokens to revoke: 0 re-encrypted, 0 remain.',
    'Client secrets of upstreams: 0 re-encrypted, 0 remain.',
    'Authorizations at upstreams: 0 re-encrypted, 0 remain.',
    `Authenticator app seeds: ${seeds} re-encrypted, 0 remain.`,
    'Client secrets of single sign-on: 0 re-encrypted, 0 remain.',
    'OAuth signing keys: 0 re-encrypted, 0 remain.',
    'Secrets of repeatable requests: 0 re-encrypted, 0 remain.',
    `Everything stored is encrypted with SECRETS_KEY (key ${idOf(NEW)}).`,
  ];
  expect(first).toEqual({ code: 0, lines: lines(2, 1, 1) });
  expect(second).toEqual({ code: 0, lines: lines(0, 0, 0) });
  const after = await world.gateway({ env: done });
  expect([await ada.call(after), await ada.discover(after, kept.body)]).toEqual([TOKEN, HEADER]);
  expect((await ada.signIn(after)).status).toBe(200);
  // Sessions are signed, not encrypted: those that were renewed with the new key stay valid.
  expect(await ada.profile(after, kept.body)).toBe(200);
  expect(await ada.profile(after, old.body)).toBe(401);
  expect((await ada.refresh(after, old.cookies.get('refresh')!)).status).toBe(401);
}, 120_000);

test('with a wrong old key, secrets are reported as unreadable, and the command names the missing key', async () => {
  const world = await useWorld(env);
  const ada = await createAda(world, await world.gateway());
  const wrong = await world.gateway({ env: mistaken });

  const { code, lines } = await rotate(world, mistaken).ended;

  expect(code).toBe(1);
  expect(lines).toEqual([
    'Custom tool secrets: 0 re-encrypted, 2 remain.',
    `  2 of key ${idOf(OLD)}, which is not in SECRETS_KEY_FALLBACKS`,
    'Upstream headers: 0 re-encrypted, 1 remain.',
    `  1 of key ${idOf(OLD)}, which is not in SECRETS_KEY_FALLBACKS`,
    'Upstream tokens: 0 re-encrypted, 0 remain.',
    'Upstream tokens to revoke: 0 re-encrypted, 0 remain.',
    'Client secrets of upstreams: 0 re-encrypted, 0 remain.',
    'Authorizations at upstreams: 0 re-encrypted, 0 remain.',
    'Authenticator app seeds: 0 re-encrypted, 1 remain.',
    `  1 of key ${idOf(OLD)}, which is not in SECRETS_KEY_FALLBACKS`,
    'Client secrets of single sign-on: 0 re-encrypted, 0 remain.',
    'OAuth signing keys: 0 re-encrypted, 0 remain.',
    'Secrets of repeatable requests: 0 re-encrypted, 0 remain.',
    'Add the keys that are missing to SECRETS_KEY_FALLBACKS and run this again.',
  ]);
  for (const root of [OLD, NEW, WRONG]) expect(lines.join()).not.toContain(root);
  expect(await ada.call(wrong)).toBe('secret_unreadable');
  const signedIn = await ada.signIn(wrong, ada.recovery_codes[0]);
  expect(await ada.discover(wrong, signedIn.body)).toBe('secret_unreadable');
  const refused = await ada.signIn(wrong);
  expect([refused.status, refused.body.errors[0]!.code]).toEqual([422, 'secret_unreadable']);
  expect((await fetch(`${wrong.url}/health`)).status).toBe(200);
}, 120_000);

test('without the old key, an owner signs in with a recovery code and sets the secrets again', async () => {
  const world = await useWorld(env);
  const ada = await createAda(world, await world.gateway());
  const lost = await world.gateway({ env: done });
  const { status, body } = await ada.signIn(lost, ada.recovery_codes[0]);
  expect(status).toBe(200);
  const change = (path: string, fields: object) =>
    ada.askWith(body.access_token)(lost, path, fields, 'PATCH');

  // An edit that keeps a header would have to read it.
  expect((await change(ada.upstream, { headers: { 'x-more': 'y' } })).status).toBe(422);
  await change(ada.upstream, { headers: { authorization: HEADER } });
  await change(ada.tool, { secrets: { TOKEN } });

  expect([await ada.call(lost), await ada.discover(lost, body)]).toEqual([TOKEN, HEADER]);
}, 120_000);

test('every binary column is re-encrypted, unless it contains hashes or public keys', async () => {
  const world = await useWorld();
  const binary = await world.query<{ at: string }>(
    `SELECT table_name || '.' || column_name AS at FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'bytea' ORDER BY at`,
  );

  const encrypted = binary
    .map(({ at }) => at)
    .filter((at) => !/hash$|digest$|public_key$/.test(at));

  expect(encrypted).toEqual(
    encryptedColumns.map(([, { table, column }]) => `${table}.${column}`).toSorted(),
  );
});

/** Adds a SAML connection: a row whose encrypted column is null. */
async function addConnectionWithoutSecret({ query }: World): Promise<void> {
  const id = crypto.randomUUID();
  await query("INSERT INTO organization (id, name) VALUES ($1, 'Acme')", [id]);
  await query(
    `INSERT INTO sso_connection (id, organization_id, name, protocol, configuration, attributes,
       role_ids, seats, may_link)
     VALUES ($1, $1, 'SAML', 'saml', '{}', '{}', '{}', '[]', false)`,
    [id],
  );
}
