import { jwtVerify, SignJWT, importJWK, decodeProtectedHeader } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { createSigningKeys } from '../../../../src/oauth/signing-keys/signing-keys.ts';
import { createDatabase } from '../../../../src/platform/postgres/database.ts';
import { createSecrets } from '../../../../src/platform/secrets.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const ROOT = 'signing-keys-root-'.repeat(2);
/** Milliseconds of every instance's clock. */
let time = 0;
const world = await closeAfterTests(createWorld());
const database = await closeAfterTests(
  createDatabase({ url: world.env['DATABASE_URL']!, onIdleError: () => {} }),
);
beforeEach(async () => {
  await world.query('DELETE FROM oauth_signing_key');
});

const instance = (root = ROOT) =>
  createSigningKeys({ database, secrets: createSecrets(root), now: () => time });
type Instance = ReturnType<typeof instance>;

/** Lets time pass for the rows and for every instance's cache. */
async function pass(seconds: number) {
  time += seconds * 1_000;
  await world.query(
    `UPDATE oauth_signing_key SET signs_from = signs_from - $1 * interval '1 second',
       retired_at = retired_at - $1 * interval '1 second'`,
    [seconds],
  );
}

async function sign(keys: Instance): Promise<string> {
  const jwk = (await keys.signing())[0]!;
  const key = await importJWK(jwk, 'RS256');
  return new SignJWT().setProtectedHeader({ alg: 'RS256', kid: jwk.kid }).sign(key);
}

async function accepts(keys: Instance, token: string): Promise<boolean> {
  const key = await keys.keyFor(decodeProtectedHeader(token).kid!);
  return key !== null && (await jwtVerify(token, key).then(() => true));
}

test('instances that start together share the first signing key, which is stored encrypted', async () => {
  const instances = Array.from({ length: 5 }, () => instance());
  const sets = await Promise.all(instances.map((keys) => keys.signing()));
  expect(new Set(sets.flatMap((set) => set.map(({ kid }) => kid))).size).toBe(1);
  expect(await accepts(instances[1]!, await sign(instances[0]!))).toBe(true);
  const [row] = await world.query<{ key: Buffer }>('SELECT key FROM oauth_signing_key');
  expect(row!.key.includes(sets[0]![0]!.d!)).toBe(false);
  expect(row!.key.includes('"kty"')).toBe(false);
});

test('a rotation keeps every token valid on every instance until it expires', async () => {
  const [one, other] = [instance(), instance()];
  const before = await sign(one);
  const { kid } = await one.rotate({ at_once: false });
  const kidOf = (token: string) => decodeProtectedHeader(token).kid;
  // An instance that has not read the keys again still signs, and one that has accepts its tokens.
  for (const seconds of [0, 30, 29]) {
    await pass(seconds);
    const tokens = [await sign(one), await sign(other)];
    expect(tokens.map(kidOf)).not.toContain(kid);
    for (const token of [before, ...tokens])
      for (const keys of [one, other]) expect(await accepts(keys, token)).toBe(true);
  }
  await pass(21);
  const after = await sign(other);
  expect(kidOf(after)).toBe(kid);
  for (const keys of [one, other])
    for (const token of [before, after]) expect(await accepts(keys, token)).toBe(true);
  // A second rotation removes the first key only once its last token has expired.
  await pass(3_500);
  await one.rotate({ at_once: false });
  expect((await one.signing()).map((key) => key.kid)).toContain(kidOf(before));
  await pass(400);
  await one.rotate({ at_once: false });
  await pass(21);
  expect(await accepts(other, before)).toBe(false);
  expect(await accepts(other, after)).toBe(true);
});

test('concurrent rotations leave exactly one key that signs', async () => {
  const instances = [instance(), instance(), instance()];
  await instances[0]!.signing();
  await Promise.all(instances.map((keys) => keys.rotate({ at_once: false })));
  await pass(61);
  const signers = await Promise.all(instances.map(async (keys) => (await keys.signing())[0]!.kid));
  expect(new Set(signers).size).toBe(1);
  const rows = await world.query(
    'SELECT FROM oauth_signing_key WHERE retired_at IS NULL OR retired_at > now()',
  );
  expect(rows).toHaveLength(1);
});

test('a rotation at once ends all tokens of the other keys as soon as an instance reads them', async () => {
  const [one, other] = [instance(), instance()];
  const stolen = await sign(other);
  await one.rotate({ at_once: true });
  expect(await accepts(one, stolen)).toBe(false);
  await pass(21);
  expect(await accepts(other, stolen)).toBe(false);
  expect(await accepts(other, await sign(one))).toBe(true);
});

test('a new key is known to an instance at its first token, and unknown ids cost no query each', async () => {
  const [one, other] = [instance(), instance()];
  await other.signing();
  await one.rotate({ at_once: true });
  const token = await sign(one);
  expect(await accepts(other, token)).toBe(false);
  time += 1_001;
  expect(await accepts(other, token)).toBe(true);
});

test('without its SECRETS_KEY an instance refuses with 503, and a rotation repairs it', async () => {
  await instance().signing();
  const other = instance('another-root-'.repeat(3));
  await expect(other.signing()).rejects.toMatchObject({ kind: 'unavailable' });
  await other.rotate({ at_once: true });
  expect(await accepts(other, await sign(other))).toBe(true);
});
