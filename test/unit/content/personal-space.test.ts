import { expect, test } from 'vitest';
import type { Principal } from '../../../src/caller/principal.ts';
import { personalSpaceOf } from '../../../src/content/spaces/spaces.ts';

type Requester = Pick<Principal, 'context' | 'person' | 'quota_owner'>;

const account = { kind: 'account', id: 'ada', plan: 'free' } as const;
const organization = { kind: 'organization', id: 'acme', plan: 'pro' } as const;

test("a principal in its person's own account has the personal space", () => {
  const requester: Requester = { context: 'account:ada', person: 'ada', quota_owner: account };

  expect(personalSpaceOf(requester)).toEqual({
    ...{ id: 'ada', kind: 'personal', account_id: 'ada', person: 'ada' },
    quota_owner: account,
  });
});

test.each<[string, Requester]>([
  [
    'a key of a person in an organization',
    { context: 'membership:acme.ada', person: 'ada', quota_owner: organization },
  ],
  [
    'a key of an organization',
    { context: 'service:acme.k', person: null, quota_owner: organization },
  ],
  ['an account without a person', { context: 'account:ada', person: null, quota_owner: account }],
  [
    'a person who does not own the account',
    { context: 'account:ada', person: 'eve', quota_owner: account },
  ],
])('%s has no personal space: requesting it throws', (_who, requester) => {
  expect(() => personalSpaceOf(requester)).toThrow(TypeError);
});
