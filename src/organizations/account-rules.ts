import type { ScopeRef } from '../caller/scope.ts';
import type { Connection } from '../platform/postgres/database.ts';
import { forgetAddresses, sweepInvitations } from './invitations/store.ts';
import { listMemberships } from './members/store.ts';
import { membershipObject } from './members/tuples.ts';
import { listOwned } from './store.ts';
import { listSeatsOf } from './teams/seats/store.ts';
import { seatObject } from './teams/seats/tuples.ts';

/** What accounts must know of their memberships: for sign-in and deletion. */
export const accountRules = {
  // Single sign-on is not served yet.
  requiresSso: async () => false,
  solelyOwned: listOwned,
  forgetAddresses,
  sweep: sweepInvitations,
  /** Returns a person's memberships, left ones too, with what deleting the account changes. */
  async membershipsOf(connection: Connection, account_id: string) {
    const rows = await listMemberships(connection, account_id);
    const ids = rows.map(({ id }) => id);
    const seats = Map.groupBy(await listSeatsOf(connection, ids), (seat) => seat.membership_id);
    return rows.map((row) => ({
      scope: { kind: 'membership', id: row.id } satisfies ScopeRef,
      objects: [membershipObject(row), ...(seats.get(row.id) ?? []).map(seatObject)],
    }));
  },
};
