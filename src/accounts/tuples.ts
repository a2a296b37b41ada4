import type { Tuple } from '../authz/authz.ts';
import type { Connection } from '../platform/postgres/database.ts';
import { findAccountState } from './store.ts';

/** Projects an account to the tuple of its person; its credentials are projected by their modules. */
export async function projectAccount(connection: Connection, id: string): Promise<Tuple[]> {
  const account = await findAccountState(connection, id);
  // A deactivated account is refused by its row at once; its tuple goes with it all the same.
  if (account?.status !== 'active') return [];
  return [{ user: `user:${id}`, relation: 'session', object: `account:${id}` }];
}
