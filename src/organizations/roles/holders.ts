import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { listHolders, replaceDeletedRole } from '../members/store.ts';
import { membershipObject } from '../members/tuples.ts';
import { listSeatsWithRole, replaceDeletedRole as replaceInSeats } from '../teams/seats/store.ts';
import { seatObject } from '../teams/seats/tuples.ts';
import type { RoleKind } from './kind.ts';
import type { RoleKey } from './store.ts';
import { organizationRoles, teamRoles } from './system.ts';

/** Some of those who have a role. */
export interface HolderBatch {
  memberships: readonly string[];
  /** Their objects in OpenFGA, whose tuples name the role. */
  objects: readonly string[];
  /** Gives them what replaces the deleted role, if anything. */
  replace(transaction: Transaction): Promise<void>;
}

/** Lists who has the roles of a kind. */
export interface RoleHolders {
  kind: RoleKind;
  list(db: Queryable, role: RoleKey, limit: number): Promise<HolderBatch>;
}

export const organizationHolders: RoleHolders = {
  kind: organizationRoles,
  async list(connection, role, limit) {
    const members = await listHolders(connection, role, limit);
    const memberships = members.map(({ id }) => id);
    return {
      memberships,
      objects: members.map(membershipObject),
      replace: (transaction) => replaceDeletedRole(transaction, memberships, role.id),
    };
  },
};

export const teamHolders: RoleHolders = {
  kind: teamRoles,
  async list(connection, role, limit) {
    const seats = await listSeatsWithRole(connection, role, limit);
    return {
      memberships: [...new Set(seats.map(({ membership_id }) => membership_id))],
      objects: seats.map(seatObject),
      replace: (transaction) => replaceInSeats(transaction, seats, role.id),
    };
  },
};
