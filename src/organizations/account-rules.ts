import type { ScopeRef } from '../caller/scope.ts';
import type { Connection } from '../platform/postgres/database.ts';
import { listMemberships } from './members/store.ts';
import { membershipObject } from './members/tuples.ts';
import { listOwned } from './store.ts';

/** What accounts must know of their memberships: for sign-in and deletion. */
export const accountRules = {
  // Single sign-on is not served yet.
  requiresSso: async () => false,
  ownedAlone: listOwned,
  /** Returns a person's memberships, left ones too, with what deleting the account changes. */
  async membershipsOf(connection: Connection, account_id: string) {
    const rows = await listMemberships(connection, account_id);
    return rows.map((row) => ({
      scope: { kind: 'membership', id: row.id } satisfies ScopeRef,
      object: membershipObject(row),
    }));
  },
};
