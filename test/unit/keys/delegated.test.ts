import { expect, test } from 'vitest';
import { createDelegationRules } from '../../../src/keys/delegated.ts';
import type { KeyOwner } from '../../../src/keys/store.ts';

const organization_id = '0190aaaa-0000-7000-8000-000000000001';
const account_id = '0190aaaa-0000-7000-8000-000000000002';

test.each<[KeyOwner, string]>([
  [{ kind: 'account', id: account_id }, '/org_scope'],
  [{ kind: 'organization', id: organization_id }, '/mcp_capabilities'],
])(
  'a key of %j points at a field of its own body if its author has left',
  async (owner, pointer) => {
    const checkDelegated = createDelegationRules({
      delegation: { findGrantor: async () => null } as never,
    });
    const sent = { runs_in: organization_id, mcp_capabilities: ['tools' as const] };

    const { problems } = await checkDelegated({ scopes: [] } as never, owner, sent, null);

    expect(problems).toMatchObject([{ detail: { pointer } }]);
  },
);
