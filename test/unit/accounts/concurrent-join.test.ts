import { expect, test } from 'vitest';
import { createDeletion } from '../../../src/accounts/deletion/deletion.ts';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';

const membershipsWith = (...objects: string[]) => [
  { scope: { kind: 'membership', id: 'm' }, objects: ['membership:o.a', ...objects] },
];

test('an account is not deleted if one of its seats was replaced by another since the change was decided', async () => {
  const reads = [membershipsWith('team_seat:red.a'), membershipsWith('team_seat:blue.a')];
  const account = { id: 'a', email: 'ada@example.com', status: 'active', password_hash: 'hash' };
  const transaction = { maybeOne: async () => account, exists: async () => false };
  const parts = {
    database: { pool: { exists: async () => false } },
    authz: { change: ({ work }: { work(transaction: object): unknown }) => work(transaction) },
    mail: {},
    organizations: {
      solelyOwnedOrganizations: async () => [],
      membershipsOf: async () => reads.shift(),
    },
  };
  const caller = {
    ...{ person: 'a', email: account.email, scopes: [] },
    credential: { kind: 'session', id: 's' },
  };
  const deletion = createDeletion(parts as never)(
    caller as never,
    { confirm: account.email },
    { password_hash: 'hash' },
    {
      id: 'r',
      address: null,
    } as never,
  );

  await expect(deletion).rejects.toBeInstanceOf(ConcurrentUpdate);
});
