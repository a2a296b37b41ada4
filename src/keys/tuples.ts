import { personalPermissionByGrant } from '../authz/permissions.ts';
import type { Tuple } from '../authz/authz.ts';
import { scopeName } from '../caller/scope.ts';
import type { ContextRef } from '../caller/scope.ts';
import type { Connection } from '../platform/postgres/database.ts';
import { listAuthority } from './store.ts';
import type { KeyRow } from './store.ts';

/** Projects the live keys of an account, or one of them, to tuples. */
export async function projectKeys(
  connection: Connection,
  account_id: string,
  id: string | null,
): Promise<Tuple[]> {
  return (await listAuthority(connection, { account_id, id })).flatMap(keyTuples);
}

/** Returns the context a key runs in, whose object its tuples are written on. */
export const contextOf = ({ account_id }: Pick<KeyRow, 'account_id'>): ContextRef => ({
  kind: 'account',
  id: account_id,
});

/**
 * Returns the tuples of an active personal key. Grants are written as stored; the model derives the
 * read permissions they imply (G1).
 */
export function keyTuples(key: Pick<KeyRow, 'id' | 'account_id' | 'grants' | 'mcp_capabilities'>) {
  const user = `api_key:${key.id}`;
  const object = scopeName(contextOf(key));
  const tuple = (relation: string): Tuple => ({ user, relation, object });
  const personal = key.grants.find((grant) => grant.scope.type === 'personal');
  const carried = new Set(
    personal?.permissions.map((name) => personalPermissionByGrant(name)?.relation),
  );
  carried.delete(undefined);
  return [
    tuple('runs_here'),
    ...(personal ? [tuple('granted')] : []),
    ...[...carried].map((relation) => tuple(`carried_${relation}`)),
    ...key.mcp_capabilities.map((capability) => tuple(`declared_${capability}`)),
    tuple('principal'),
  ];
}
