import type { Actor } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { RequestedGrant } from '../grants/grants.ts';
import type { Place } from '../grants/place.ts';
import type { RoleKind, SystemRole } from './kind.ts';
import type { RoleRecord } from './schema.ts';
import type { RoleKey, RoleRow } from './store.ts';

/** How many have a role or are to get it. */
export interface RoleUses {
  members: number;
  /** Open invitations that give it. */
  invitations: number;
  /** Connections of single sign-on that give it to people who join. */
  connections: number;
}

/** Where roles exist, the organization or its teams: what differs between their roles. */
export interface RoleLevel<Listed extends RoleRecord = RoleRecord> {
  kind: RoleKind;
  /** How many custom roles a place can have. */
  maxRoles(place: Place): number;
  recordOf(role: RoleRow | SystemRole, members: number): Listed;
  /** Returns a problem for each thing that the author may not add to a role that applies there. */
  problemsOf(
    author: Principal,
    added: readonly RequestedGrant[],
    role: { organization_id: string; places: readonly Place[] },
  ): Promise<Problem[]>;
  /** Returns the places where someone has the role or is to get it: a change of it applies there. */
  placesOf(db: Queryable, role: RoleKey): Promise<readonly Place[]>;
  countUses(db: Queryable, role: Place & RoleKey): Promise<RoleUses>;
  /** Replaces a role in invitations and in what single sign-on gives; null removes it. */
  moveGiven(transaction: Transaction, role: RoleKey, to: string | null): Promise<void>;
  /** Ends what single sign-on may not give or reach once a role contains more than before. */
  grow(
    transaction: Transaction,
    role: RoleKey & { replaced: readonly string[] },
    actor: Actor,
  ): Promise<void>;
}
