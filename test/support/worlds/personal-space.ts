import type { Space } from '../../../src/content/spaces/spaces.ts';

/** Returns the personal space of an account on the free plan. */
export const personalSpace = (account_id: string): Space => ({
  id: account_id,
  kind: 'personal',
  account_id,
  person: account_id,
  quota_owner: { kind: 'account', id: account_id, plan: 'free' },
});
