import type { Tuple } from '../authz/authz.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { findAccountState } from './store.ts';

/** Returns the session tuple of an active account; other modules project its credentials. */
export async function projectAccount(db: Queryable, id: string): Promise<Tuple[]> {
  const account = await findAccountState(db, id);
  // A deactivated account is already refused because of its row; its tuple is removed as well.
  if (account?.status !== 'active') return [];
  return [{ user: `user:${id}`, relation: 'session', object: `account:${id}` }];
}
