import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/credentials/authenticate.ts';
import type { Credential } from '../../../src/credentials/credential.ts';
import { hashSecret } from '../../../src/platform/secrets.ts';
import { openPolicies } from '../../support/worlds/policies.ts';
import { fromHere } from '../../support/from-here.ts';

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
  team_ids: null,
  audit_arguments: false,
  restrictions: null,
  tool_listing: 'all',
};
const restPrincipal: Credential['principal'] = { ...principal };
const row: Credential = {
  principal,
  restPrincipal: () => restPrincipal,
  usable: true,
  membership_with_deleted_seats: null,
  has_teams_beyond_client: false,
  used_recently: false,
};

function authenticator(stored: Partial<Credential> = {}) {
  const used: string[] = [];
  let current: Credential = { ...row, ...stored };
  const hash = hashSecret(secret).toString('hex');
  const read = async (keys: readonly string[]) => {
    const matching = [hash, `${hash} acme`].filter((key) => keys.includes(key));
    return new Map(matching.map((key) => [key, current]));
  };
  const removed: string[] = [];
  const removeDeletedSeats = async (id: string) => {
    removed.push(id);
    current = { ...current, membership_with_deleted_seats: null };
  };
  const narrowed: string[] = [];
  const narrow = async (id: string) => {
    narrowed.push(id);
    current = { ...current, has_teams_beyond_client: false };
  };
  const recordUse = (id: string) => void used.push(id);
  const reported: unknown[] = [];
  const onRefused = (one: unknown) => void reported.push(one);
  return {
    ...{ used, removed, narrowed, reported },
    ...createAuthenticator({
      ...{ read, removeDeletedSeats, narrow, onUse: recordUse, onRefused },
    }),
  };
}

test('an active secret resolves to the principal of its credential, and the use is recorded', async () => {
  const { authenticate, used } = authenticator();

  expect(await authenticate(secret, fromHere)).toBe(principal);
  expect(used).toEqual(['k']);
});

test('over REST, a secret acts for its account, with the organization that the request names', async () => {
  const { authenticateForRest } = authenticator();

  expect(await authenticateForRest(secret, null, fromHere)).toBe(restPrincipal);
  expect(await authenticateForRest(secret, 'acme', fromHere)).toBe(restPrincipal);
  await expect(authenticateForRest(secret, 'other', fromHere)).rejects.toMatchObject(refused);
});

test('authentication removes seats in deleted teams, which could still give capabilities (C3)', async () => {
  const { authenticate, removed } = authenticator({ membership_with_deleted_seats: 'm' });

  expect(await authenticate(secret, fromHere)).toBe(principal);
  expect(removed).toEqual(['m']);
});

test('authentication takes teams from a connection that its client has lost', async () => {
  const { authenticate, narrowed, removed } = authenticator({ has_teams_beyond_client: true });

  expect(await authenticate(secret, fromHere)).toBe(principal);
  expect({ narrowed, removed }).toEqual({ narrowed: ['k'], removed: [] });
});

test('a second use within a minute is not recorded', async () => {
  const { authenticate, used } = authenticator({ used_recently: true });

  await authenticate(secret, fromHere);

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

  await expect(authenticate(bad, fromHere)).rejects.toMatchObject(refused);
  expect(used).toEqual([]);
});

test('an unusable key is refused with the same message (rel:B1-3)', async () => {
  const { authenticate, used } = authenticator({ usable: false });

  await expect(authenticate(secret, fromHere)).rejects.toMatchObject(refused);
  expect(used).toEqual([]);
});

const refused = {
  kind: 'unauthenticated',
  code: 'invalid_credential',
  message:
    'The credential is not valid. It may be incomplete, expired or revoked: use another one.',
  detail: null,
};

test('a credential that was revoked is reported over MCP, where its person may watch; an unknown one is not', async () => {
  const { authenticate, authenticateForRest, reported } = authenticator({ usable: false });

  await expect(authenticateForRest(secret, null, fromHere)).rejects.toMatchObject(refused);
  await expect(authenticate(`${secret}x`, fromHere)).rejects.toMatchObject(refused);
  expect(reported).toEqual([]);
  await expect(authenticate(secret, fromHere)).rejects.toMatchObject(refused);
  expect(reported).toEqual([principal]);
});
