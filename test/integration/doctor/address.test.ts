import { expect, test } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import {
  createProof,
  PROOF_HEADER,
  PROOF_LABEL,
  SELF_CHECK_PATH,
} from '../../../src/gateway/operations/self-check.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { useHttpProxy } from '../../support/servers/http-proxy.ts';
import type { ProxyFaults } from '../../support/servers/http-proxy.ts';
import { createSigningPair } from '../../support/peers/saml/signing-pair.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { diagnoseApart, diagnoseHere, randomKey, summaryOf } from './run-doctor.ts';

const world = await closeAfterTests(
  createWorld({ SECRETS_KEY: randomKey(), TRUSTED_PROXIES: '127.0.0.1' }),
);

/** Runs the doctor on a gateway behind a proxy with faults. */
async function diagnoseBehind(faults: ProxyFaults, settings: Record<string, string> = {}) {
  const proxy = await useHttpProxy();
  const gateway = await world.gateway({ env: { PUBLIC_URL: proxy.url, ...settings } });
  proxy.target(gateway.url);
  proxy.faults = faults;
  const found = await diagnoseHere({ ...world.env, PUBLIC_URL: proxy.url, ...settings });
  return { ...found, ...summaryOf(found.findings.filter(isOfAddress)) };
}

// The Redis of the tests is not persistent.
const isOfAddress = ({ area }: Finding) => area === 'address' || area === 'protocol';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const without = (headers: Headers, ...names: string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

test('nothing is found behind a proxy that changes nothing', async () => {
  const { faults, of } = await diagnoseBehind({});

  expect(faults).toEqual([]);
  expect(of['client_address']!.message).toBe('The proxy is trusted.');
  expect(of['streams']!.status).toBe('ok');
});

test.each<[name: string, fault: ProxyFaults, found: string[]]>([
  ['buffers responses', { buffers: true }, ['streams: warning']],
  [
    'removes the credentials of requests',
    { request: (headers) => without(headers, 'authorization', 'mcp-session-id') },
    ['headers: failure'],
  ],
  [
    'removes cookies and Origin',
    { request: (headers) => without(headers, 'cookie', 'origin') },
    ['headers: failure', 'origins: warning'],
  ],
  [
    'replaces Origin by its own',
    { request: (headers) => ({ ...headers, origin: 'http://localhost:1' }) },
    ['headers: failure', 'origins: warning'],
  ],
  [
    'sends its own Host',
    { request: (headers) => ({ ...headers, host: '127.0.0.1' }) },
    ['headers: warning'],
  ],
  [
    'passes on a forged X-Forwarded-For',
    {
      request: (headers) => ({
        ...headers,
        'x-forwarded-for': String(headers['x-forwarded-for']).split(', ')[0],
      }),
    },
    ['client_address: failure'],
  ],
  [
    'changes the path of cookies',
    {
      response: (headers) => ({
        ...headers,
        'set-cookie': headers['set-cookie']?.map((cookie) => cookie.replace('Path=/', 'Path=/app')),
      }),
    },
    ['cookies: failure'],
  ],
  [
    'removes cookies of responses',
    { response: (headers) => without(headers, 'set-cookie') },
    ['cookies: failure'],
  ],
  [
    'allows every origin itself',
    {
      response: (headers) => ({
        ...headers,
        'access-control-allow-origin': `${headers['access-control-allow-origin']}, *`,
      }),
    },
    ['origins: warning'],
  ],
  [
    'removes the challenge',
    { response: (headers) => without(headers, 'www-authenticate') },
    ['challenge: failure'],
  ],
  [
    'answers unknown paths with a page',
    { pages: /^\/\.well-known\/openid-configuration/ },
    ['unknown_paths: failure'],
  ],
  [
    'answers /.well-known with a page',
    { pages: /^\/\.well-known\// },
    ['resource_metadata: failure', 'server_metadata: failure', 'unknown_paths: failure'],
  ],
  [
    'passes only /mcp',
    { pages: /^\/(?!mcp$)/ },
    [
      'public_url: failure',
      'gateway: failure',
      'origins: failure',
      'resource_metadata: failure',
      'server_metadata: failure',
      'unknown_paths: failure',
    ],
  ],
])('a proxy that %s is found', async (_name, fault, found) => {
  const { code, faults, findings } = await diagnoseBehind(fault);

  expect(faults).toEqual(found);
  expect(code).toBe(found.some((one) => one.endsWith('failure')) ? 2 : 1);
  for (const { status, remedy } of findings)
    expect(remedy === null).toBe(status === 'ok' || status === 'skipped');
});

test('a proxy that is not in TRUSTED_PROXIES is found', async () => {
  const { faults, of } = await diagnoseBehind({}, { TRUSTED_PROXIES: '' });

  expect(faults).toEqual(['client_address: warning']);
  expect(of['client_address']!.remedy).toContain('Add 127.0.0.1 to TRUSTED_PROXIES');
});

test('an untrusted certificate, and a proxy that removes HSTS, are found', async () => {
  const proxy = await useHttpProxy(createSigningPair());
  const gateway = await world.gateway({ env: { PUBLIC_URL: proxy.url } });
  proxy.target(gateway.url);
  const env = { ...world.env, PUBLIC_URL: proxy.url };
  const trusting = { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' };

  const untrusted = await diagnoseHere(env);
  const trusted = await diagnoseApart(trusting, ['--no-drift']);
  proxy.faults = { response: (headers) => without(headers, 'strict-transport-security') };
  const withoutHsts = await diagnoseApart(trusting, ['--no-drift']);

  expect(untrusted.of).toMatchObject({
    public_url: { status: 'failure', message: expect.stringContaining('certificate') },
    https: { status: 'skipped' },
  });
  expect(trusted.of).toMatchObject({ https: { status: 'ok' }, cookies: { status: 'ok' } });
  expect(withoutHsts.of['https']).toMatchObject({
    status: 'warning',
    message: expect.stringContaining('Strict-Transport-Security'),
  });
}, 240_000);

test('another public URL than the gateway’s is found', async () => {
  const gateway = await world.gateway();

  const { of } = await diagnoseHere({ ...world.env, PUBLIC_URL: gateway.url });

  expect(of['resource_metadata']).toMatchObject({
    status: 'failure',
    message: expect.stringContaining(`not ${gateway.url}/mcp`),
  });
});

test('a gateway that is not reachable is a failure, and what depends on it is skipped', async () => {
  const PUBLIC_URL = `http://127.0.0.1:${await freePort()}`;
  const { code, of, faults } = await diagnoseHere({ ...world.env, PUBLIC_URL });

  expect(code).toBe(2);
  expect(faults).toEqual(expect.arrayContaining(['public_url: failure', 'gateway: failure']));
  expect(of['public_url']!.message).toContain('ECONNREFUSED');
  for (const check of ['headers', 'cookies', 'origins', 'resource_metadata', 'streams'])
    expect(of[check]!.status, check).toBe('skipped');
});

test('the self-check is answered only with a recent proof of SECRETS_KEY', async () => {
  const { url } = await world.gateway();
  const statusOf = async (headers: Record<string, string>) => {
    const response = await fetch(`${url}${SELF_CHECK_PATH}`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  const proof = (key: string, age = 0) => ({
    [PROOF_HEADER]: createProof(
      createSecrets(key).subkeys(PROOF_LABEL),
      new Date(Date.now() - age),
    ),
  });
  const key = world.env['SECRETS_KEY']!;

  const statuses = {
    recent: await statusOf(proof(key)),
    none: await statusOf({}),
    empty: await statusOf({ [PROOF_HEADER]: '' }),
    otherKey: await statusOf(proof(randomKey())),
    old: await statusOf(proof(key, 3_600_000)),
    changed: await statusOf({ [PROOF_HEADER]: `1${proof(key)[PROOF_HEADER]}` }),
  };

  expect(statuses).toEqual({
    ...{ recent: 200, none: 404, empty: 404, otherKey: 404, old: 404, changed: 404 },
  });
});
