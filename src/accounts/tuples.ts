import type { Tuple } from '../authz/authz.ts';
import type { Connection } from '../platform/postgres/database.ts';
import { findAccountState } from './store.ts';

/** Returns the session tuple of an active account; other modules project its credentials. */
export async function projectAccount(connection: Connection, id: string): Promise<Tuple[]> {
  const account = await findAccountState(connection, id);
  // A deactivated account is already refused because of its row; its tuple is removed as well.
  if (account?.status !== 'active') return [];
  return [{ user: `user:${id}`, relation: 'session', object: `account:${id}` }];
}
