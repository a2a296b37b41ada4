import type { Actor } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { RequestedGrant } from '../grants/grants.ts';
import type { Place } from '../grants/place.ts';
import type { RoleKind, SystemRole } from './kind.ts';
import type { RoleRecord } from './schema.ts';
import type { RoleKey, RoleRow } from './store.ts';

/** Counts of what uses a role. */
export interface RoleUses {
  members: number;
  /** Open invitations that give it. */
  invitations: number;
  /** Connections of single sign-on that give it to people who join. */
  connections: number;
}

/** What differs between the roles of organizations and those of teams. */
export interface RoleLevel<Listed extends RoleRecord = RoleRecord> {
  kind: RoleKind;
  /** How many custom roles a place can have. */
  maxRoles(place: Place): number;
  recordOf(role: RoleRow | SystemRole, members: number): Listed;
  /** Returns a problem for each permission and capability that the author may not add there. */
  problemsOf(
    author: Principal,
    added: readonly RequestedGrant[],
    role: { organization_id: string; places: readonly Place[] },
  ): Promise<Problem[]>;
  /** Returns the places where someone has the role or would get it: a change of it applies there. */
  placesOf(db: Queryable, role: RoleKey): Promise<readonly Place[]>;
  countUses(db: Queryable, role: Place & RoleKey): Promise<RoleUses>;
  /** Replaces a role in invitations and in what single sign-on gives; null removes it. */
  moveGiven(transaction: Transaction, role: RoleKey, to: string | null): Promise<void>;
  /**
   * Runs in a change that adds content to a role: stops single sign-on from giving the role, and from
   * signing in to accounts that have it, where that is no longer allowed.
   */
  grow(
    transaction: Transaction,
    role: RoleKey & { replaced: readonly string[] },
    actor: Actor,
  ): Promise<void>;
}
