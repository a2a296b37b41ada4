import { createHmac, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { exportJWK, importJWK, SignJWT } from 'jose';
import type { CryptoKey, JWK, JWTHeaderParameters } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createConnectionsSupport } from '../../../support/people/connections.ts';
import type { ConnectionsSupport } from '../../../support/people/connections.ts';
import { signUp } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import type { Gateway, World } from '../../../support/worlds/world.ts';
import { ask } from '../../mcp/key-holder.ts';

let world: World;
let gateway: Gateway;
let support: ConnectionsSupport;
let sample: Sample;

/** A valid token's parts, and other things that exist. */
interface Sample {
  header: JWTHeaderParameters;
  claims: Record<string, unknown>;
  key: JWK;
  connection: string;
  /** Of another person. */
  foreign: { connection: string; account_id: string; client_id: string };
}

beforeAll(async () => {
  world = await createWorld();
  gateway = await world.gateway();
  support = await createConnectionsSupport(world, gateway);
  const [ada, ben] = [await signUp(world, gateway, 'ada'), await signUp(world, gateway, 'ben')];
  const scopes = ['mcp_tools', 'read:prompts'];
  const [own, other] = [
    await support.client({ owner: ada, scopes }),
    await support.client({ owner: ben, scopes }),
  ];
  const connection = await support.authorize(own, ada);
  const token = await support.token(connection);
  const [header, claims] = token.split('.').slice(0, 2).map(decoded);
  const [key] = await support.signingKeys.signing();
  sample = {
    ...{ header: header as unknown as JWTHeaderParameters, claims: claims!, key: key as JWK },
    connection,
    foreign: {
      connection: await support.authorize(other, ben),
      ...{ account_id: ben.account_id, client_id: other.id },
    },
  };
});
afterAll(async () => {
  await support?.close();
  await world?.close();
});

const decoded = (part: string) =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs with the service's own key, unless another is given. */
async function sign(
  claims: Record<string, unknown>,
  header: Partial<JWTHeaderParameters> = {},
  key: CryptoKey | KeyObject | Uint8Array | null = null,
): Promise<string> {
  const all = { ...sample.header, ...header };
  const signer = key ?? (await importJWK(sample.key, all.alg));
  return new SignJWT({ ...sample.claims, ...claims }).setProtectedHeader(all).sign(signer);
}

/** Returns the valid claims without one. */
const without = (name: string) => ({ [name]: undefined });
const now = () => Math.floor(Date.now() / 1_000);
const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const publicPem = async () =>
  createPublicKey({ key: sample.key, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString();

/** Signs the text of a token by hand, for algorithms that the library refuses to use. */
const byHand = (header: object, signature: (text: string) => string) => {
  const text = `${encoded({ ...sample.header, ...header })}.${encoded(sample.claims)}`;
  return `${text}.${signature(text)}`;
};

const forged: Record<string, () => Promise<string> | string> = {
  'no algorithm': () => byHand({ alg: 'none' }, () => ''),
  'no algorithm, in other case': () => byHand({ alg: 'NoNe' }, () => ''),
  'no signature': () => byHand({}, () => ''),
  'HS256 with the public key as secret': async () => {
    const pem = await publicPem();
    return byHand({ alg: 'HS256' }, (text) =>
      createHmac('sha256', pem).update(text).digest('base64url'),
    );
  },
  'another algorithm of the same key: RS384': () => sign({}, { alg: 'RS384' }),
  'another algorithm of the same key: PS256': () => sign({}, { alg: 'PS256' }),
  'ES256 with the kid of the service': () =>
    sign({}, { alg: 'ES256' }, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
  'another key with the kid of the service': () => sign({}, {}, rsa()),
  'another key with a kid of its own': () => sign({}, { kid: randomUUID() }, rsa()),
  'no kid': () => sign({}, { kid: undefined as never }),
  'a kid that is a number': () => sign({}, { kid: 1 as never }),
  'a key in its own header': async () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    return sign({}, { jwk: await exportJWK(pair.publicKey) }, pair.privateKey);
  },
  'a key at its own address': () => sign({}, { jku: 'https://attacker.example/jwks' }, rsa()),
  'a critical extension': () => byHand({ crit: ['exp'], exp: 1 }, () => 'AAAA'),
  'the type JWT': () => sign({}, { typ: 'JWT' }),
  'the type of dashboard tokens': () => sign({}, { typ: 'dash+jwt' }),
  'no type': () => sign({}, { typ: undefined as never }),
  'another audience': () => sign({ aud: 'https://other.example/mcp' }),
  'the audience of the dashboard': () => sign({ aud: `${gateway.config.PUBLIC_URL}/api` }),
  'the issuer as audience': () => sign({ aud: gateway.config.PUBLIC_URL }),
  'a list of audiences': () => sign({ aud: [sample.claims['aud'], 'https://other.example'] }),
  'a list of the right audience': () => sign({ aud: [sample.claims['aud']] }),
  'another issuer': () => sign({ iss: 'https://other.example' }),
  'the issuer with a slash': () => sign({ iss: `${gateway.config.PUBLIC_URL}/` }),
  'expired a second ago': () => sign({ exp: now() - 1 }),
  'an expiry that is a text': () => sign({ exp: String(now() + 60) }),
  'an expiry that is a fraction': () => sign({ exp: now() + 60.5 }),
  'a negative expiry': () => sign({ exp: -1 }),
  'an expiry beyond any date': () => sign({ exp: Number.MAX_SAFE_INTEGER + 1 }),
  'not valid yet': () => sign({ nbf: now() + 600 }),
  'no connection': () => sign({ cid: randomUUID() }),
  'a connection that is not a UUID': () => sign({ cid: 'x' }),
  'the connection of another person': () => sign({ cid: sample.foreign.connection }),
  'another person': () => sign({ sub: sample.foreign.account_id }),
  'the client as person': () => sign({ sub: sample.claims['client_id'] }),
  'another client': () => sign({ client_id: sample.foreign.client_id }),
  'scopes as a list': () => sign({ scope: ['mcp_tools'] }),
  'other claims under a valid signature': async () => {
    const [header, , signature] = (await sign({})).split('.');
    return `${header}.${encoded({ ...sample.claims, scope: 'mcp_tools mcp_agents' })}.${signature}`;
  },
  'a fourth part': async () => `${await sign({})}.x`,
  'one part': () => encoded(sample.header),
  'a character after it': async () => `${await sign({})}=`,
  'more than 8 kB': () => sign({ padding: 'x'.repeat(8_192) }),
  ...Object.fromEntries(
    ['iss', 'aud', 'sub', 'client_id', 'cid', 'scope', 'iat', 'exp', 'jti'].map((name) => [
      `no claim ${name}`,
      () => sign(without(name)),
    ]),
  ),
};

/** Returns status and code of a request to `/mcp` and of one over REST. */
async function outcomes(token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const mcp = await ask(`${gateway.url}/mcp`, headers, 'tools/list');
  const rest = await fetch(`${gateway.url}/api/me/prompts`, { headers });
  const { errors } = (await rest.json()) as { errors?: { code: string }[] };
  return [
    [mcp.status, mcp.body.error?.data?.code],
    [rest.status, errors?.[0]?.code],
  ];
}
const accepted = [
  [200, undefined],
  [200, undefined],
];
const refused = [
  [401, 'invalid_credential'],
  [401, 'invalid_credential'],
];

test('the token that the forged ones are made of is valid', async () => {
  expect(await outcomes(await sign({}))).toEqual(accepted);
  const lower = await fetch(`${gateway.url}/api/me/prompts`, {
    headers: { authorization: `bearer ${await sign({})}` },
  });
  expect(lower.status).toBe(200);
});

test.each(Object.entries(forged))(
  'a token with %s is refused like any invalid credential',
  async (_, make) => {
    expect(await outcomes(await make())).toEqual(refused);
  },
);

test('a token is refused from the second of its expiry on, by the clock of the database, without grace', async () => {
  const [{ now: current } = { now: 0 }] = await world.query<{ now: number }>(
    'SELECT extract(epoch FROM now())::float8 AS now',
  );
  const exp = Math.floor(current) + 3;
  const token = await sign({ exp });
  const isOver = async () =>
    (await world.query<{ over: boolean }>('SELECT now() >= to_timestamp($1) AS over', [exp]))[0]!
      .over;

  expect(await outcomes(token)).toEqual(accepted);
  await expect.poll(isOver, { interval: 20, timeout: 10_000 }).toBe(true);
  expect(await outcomes(token)).toEqual(refused);
});

test('a token is refused from the deletion of its key on, although its signature was verified before', async () => {
  const token = await sign({});
  expect(await outcomes(token)).toEqual(accepted);

  await world.query('DELETE FROM oauth_signing_key');
  // Another instance has read no key yet, and creates one.
  gateway = await world.gateway();
  expect(await outcomes(token)).toEqual(refused);
});
