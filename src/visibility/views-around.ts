import type { Requested } from '../authz/authz.ts';
import type { Principal } from '../caller/principal.ts';
import type { View } from './decide.ts';

/**
 * Returns the views of credentials before and after a change, which is made and rolled back, by id.
 * Resource policies are not evaluated yet (`precomputed`).
 */
export type ViewsAround = (
  requested: Requested,
  ids: readonly string[],
) => Promise<{ before: ReadonlyMap<string, View>; after: ReadonlyMap<string, View> }>;

/** A member or a credential that a change may affect. */
export interface Subject {
  id: string;
  /** Null for a credential that acts for no person. */
  account_id: string | null;
  /** Null for a member, who does not use MCP. */
  credential: string | null;
  /** A member as a principal; a credential's own principal is read. */
  member: Pick<Principal, 'subject' | 'context'> | null;
  /** Whether its lists are compared. */
  lists: boolean;
}

/** Returns those of the relations that a subject has to an object. */
type HeldRelations = (object: string, relations: readonly string[]) => Promise<ReadonlySet<string>>;

/** Returns those of the compared relations that a subject has. */
export type Compare = (subject: Subject, held: HeldRelations) => Promise<ReadonlySet<string>>;

/** What a subject sees and may do. */
export interface SubjectState {
  /** Null if its lists are not compared. */
  view: View | null;
  relations: ReadonlySet<string>;
}

/**
 * Returns the states of subjects before and after a change, which is made and rolled back, by id.
 * Those that cannot be examined in time are missing.
 */
export type StatesAround = (
  requested: Requested,
  subjects: readonly Subject[],
  compared: Compare,
) => Promise<{
  before: ReadonlyMap<string, SubjectState>;
  after: ReadonlyMap<string, SubjectState>;
}>;

/** A change of nothing. */
export const UNCHANGED: Requested = { work: async () => {} };
