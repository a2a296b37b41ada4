import type { ScopeRef } from '../caller/scope.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { forgetAddresses, sweepInvitations } from './invitations/store.ts';
import { listMemberships } from './members/store.ts';
import { membershipObject } from './members/tuples.ts';
import { listOwnedOrganizations } from './store.ts';
import { listSeatsOf } from './teams/seats/store.ts';
import { seatObject } from './teams/seats/tuples.ts';

/** Rules of organizations that apply when their members sign in or delete their accounts. */
export const accountRules = {
  solelyOwnedOrganizations: listOwnedOrganizations,
  forgetAddresses,
  sweep: sweepInvitations,
  /**
   * Returns a person's memberships, including ended ones, with the objects that deleting the
   * account changes.
   */
  async membershipsOf(db: Queryable, account_id: string) {
    const rows = await listMemberships(db, account_id);
    const ids = rows.map(({ id }) => id);
    const seats = Map.groupBy(await listSeatsOf(db, ids), (seat) => seat.membership_id);
    return rows.map((row) => ({
      scope: { kind: 'membership', id: row.id } satisfies ScopeRef,
      objects: [membershipObject(row), ...(seats.get(row.id) ?? []).map(seatObject)],
    }));
  },
};
