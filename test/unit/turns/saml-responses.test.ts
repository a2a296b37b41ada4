import { afterAll, expect, test } from 'vitest';
import { ToolFailure } from '../../../src/catalog/tool-failure.ts';
import { createWorkerPool } from '../../../src/catalog/worker-pool.ts';
import { createVerification } from '../../../src/sso/saml/verification.ts';
import { heldShare } from '../../support/longest-turn.ts';
import { PERSISTENT, samlpResponse } from '../../support/peers/saml/samlp-provider.ts';
import { createSigningPair } from '../../support/peers/saml/signing-pair.ts';

const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, i) => make(i));

const entity_id = 'https://idp.example.com/metadata';
const request_id = '_d0f1c0de';
const base = 'https://gateway.example.com/api/auth/sso/0195d0a8-0000-7000-8000-000000000001';
const service_provider = {
  entity_id: `${base}/metadata`,
  acs_url: `${base}/acs`,
  callback_url: `${base}/callback`,
  metadata_url: `${base}/metadata`,
};
const [own, ...others] = list(5, () => createSigningPair());
const connectionWith = (certificates: string[]) => ({
  organization_id: '0195d0a8-0000-7000-8000-000000000002',
  configuration: {
    ...{ protocol: 'saml' as const, entity_id, certificates, response_signed: true },
    sign_in_url: 'https://idp.example.com/sso',
  },
  service_provider,
  attributes: { email: null, first_name: null, last_name: null },
});
const respond = (attributes: Record<string, string[]> = {}) =>
  samlpResponse(
    own!,
    {
      ...{ issuer: entity_id, audience: service_provider.entity_id, request_id },
      acs_url: service_provider.acs_url,
    },
    { subject: 'ada-1', attributes: { email: 'ada@example.com', ...attributes } },
    { nameIdentifierFormat: PERSISTENT },
  );

const samlWorkers = createWorkerPool({
  module: new URL('../../../src/sso/saml/computations.ts', import.meta.url),
});
afterAll(() => samlWorkers.close());
const verify = createVerification({ samlWorkers });

const all = [...others.map(({ certificate }) => certificate), own!.certificate];

test.each<[name: string, xml: () => Promise<string>, certificates: string[]]>([
  ['an ordinary one', respond, [own!.certificate]],
  ['five certificates', respond, all],
  ['many groups', () => respond({ groups: list(400, (i) => `group ${i}`) }), [own!.certificate]],
])('a SAML response holds the event loop no longer than one turn: %s', async (...one) => {
  const [, xml, certificates] = one;
  const response = Buffer.from(await xml()).toString('base64');
  const connection = connectionWith(certificates);
  const check = async () => {
    const posted = { response, request_id, now: new Date() };
    const { person, expires_at } = await verify(connection, posted);
    expect(person.subject).toBe('ada-1');
    expect(expires_at.getTime()).toBeGreaterThan(Date.now());
  };

  expect(await heldShare(check)).toBeLessThan(1);
});

test('a response that is refused elsewhere is refused for the same reason', async () => {
  const response = Buffer.from(await respond()).toString('base64');
  const posted = { response, request_id: '_another', now: new Date() };

  for (const certificates of [[own!.certificate], all])
    await expect(verify(connectionWith(certificates), posted)).rejects.toMatchObject({
      reason: 'request',
    });
});

test('a response is not blamed on the provider if no process is free to verify it', async () => {
  const busy = { compute: () => Promise.reject(new ToolFailure('busy', 'Not now.')) };
  const response = Buffer.from(await respond()).toString('base64');
  const posted = { response, request_id, now: new Date() };

  await expect(
    createVerification({ samlWorkers: busy })(connectionWith(all), posted),
  ).rejects.toMatchObject({ kind: 'unavailable', code: 'service_unavailable' });
});
