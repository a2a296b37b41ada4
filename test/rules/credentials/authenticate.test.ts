import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/credentials/authenticate.ts';
import type { Credential } from '../../../src/credentials/store.ts';
import { isRefusal } from '../../../src/platform/errors/refusal.ts';
import { hashSecret } from '../../../src/platform/secrets.ts';
import { openPolicies } from '../../support/worlds/policies.ts';

const secret = `sk_${randomUUID()}`;
const principal: Credential['principal'] = {
  credential: { kind: 'api_key', id: 'k' },
  subject: 'api_key:k',
  context: 'account:u',
  person: 'u',
  quota_owner: { kind: 'account', id: 'u', plan: 'free' },
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

test('a live secret stands for the principal of its credential, whose use is recorded', async () => {
  const { authenticate, used } = authenticator();

  expect(await authenticate(secret)).toBe(principal);
  expect(used).toEqual(['k']);
});

test('a use within the minute is not recorded', async () => {
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
])('%j is refused like every other bad secret (rel:B1-2, rel:B1-3)', async (bad) => {
  const { authenticate, used } = authenticator();

  await expect(authenticate(bad)).rejects.toMatchObject(refused);
  expect(used).toEqual([]);
});

test('a key that may not be used is refused in the same words (rel:B1-3)', async () => {
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

test.each([
  Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  new TypeError('a defect'),
])('a read that fails is unavailable, never a yes or a no (rel:P8)', async (error) => {
  const authenticate = createAuthenticator({
    read: () => Promise.reject(error),
    used: () => {},
  });

  const answer = await authenticate(secret).catch((thrown: unknown) => thrown);

  expect(isRefusal(answer) && answer.kind).toBe('unavailable');
});
