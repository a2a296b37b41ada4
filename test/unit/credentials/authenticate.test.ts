import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/credentials/authenticate.ts';
import type { Credential } from '../../../src/credentials/store.ts';
import { hashSecret } from '../../../src/platform/secrets.ts';
import { openPolicies } from '../../support/worlds/policies.ts';

const secret = `sk_${randomUUID()}`;
const principal: Credential['principal'] = {
  credential: { kind: 'api_key', id: 'k' },
  subject: 'api_key:k',
  context: 'account:u',
  person: 'u',
  quota_owner: { kind: 'account', id: 'u', plan: 'free' },
  organization: null,
  scopes: [{ kind: 'account', id: 'u', revision: 3, applied: 2, nonce: 's', content: 4 }],
  ...openPolicies,
  default_agent_id: null,
  audit_arguments: false,
};
const row: Credential = { principal, usable: true, used_lately: false };

function authenticator(stored: Partial<Credential> = {}) {
  const used: string[] = [];
  const read = async (hashes: readonly string[]) => {
    const known = hashSecret(secret).toString('hex');
    return new Map(hashes.includes(known) ? [[known, { ...row, ...stored }]] : []);
  };
  return { used, authenticate: createAuthenticator({ read, used: (id) => void used.push(id) }) };
}

test('an active secret resolves to the principal of its credential, and the use is recorded', async () => {
  const { authenticate, used } = authenticator();

  expect(await authenticate(secret)).toBe(principal);
  expect(used).toEqual(['k']);
});

test('a second use within a minute is not recorded', async () => {
  const { authenticate, used } = authenticator({ used_lately: true });

  await authenticate(secret);

  expect(used).toEqual([]);
});

test.each([
  '',
  'sk_',
  secret.slice(3),
  secret.toUpperCase(),
  `${secret} `,
  `sk_{${secret.slice(3)}}`,
  secret.replaceAll('-', ''),
  'x'.repeat(7_168),
  `sk_${randomUUID()}`,
])('%j is refused like every other invalid secret (rel:B1-2, rel:B1-3)', async (bad) => {
  const { authenticate, used } = authenticator();

  await expect(authenticate(bad)).rejects.toMatchObject(refused);
  expect(used).toEqual([]);
});

test('an unusable key is refused with the same message (rel:B1-3)', async () => {
  const { authenticate, used } = authenticator({ usable: false });

  await expect(authenticate(secret)).rejects.toMatchObject(refused);
  expect(used).toEqual([]);
});

const refused = {
  kind: 'unauthenticated',
  code: 'invalid_credential',
  message: 'The credential is not valid.',
  detail: null,
};
