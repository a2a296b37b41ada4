import type { Space } from '../../../src/content/spaces/spaces.ts';

/** The personal space of an account of the free plan. */
export const personalSpace = (account_id: string): Space => ({
  id: account_id,
  kind: 'personal',
  account_id,
  quota_owner: { kind: 'account', id: account_id, plan: 'free' },
});
