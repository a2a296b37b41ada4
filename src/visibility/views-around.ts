import type { Requested } from '../authz/authz.ts';
import type { View } from './decide.ts';

/**
 * Returns the views of credentials before and after a change, which is made and rolled back, by id.
 * Resource policies are not evaluated yet (`precomputed`).
 */
export type ViewsAround = (
  requested: Requested,
  ids: readonly string[],
) => Promise<{ before: ReadonlyMap<string, View>; after: ReadonlyMap<string, View> }>;

/** A change of nothing. */
export const UNCHANGED: Requested = { work: async () => {} };
