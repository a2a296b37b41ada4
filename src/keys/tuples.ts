import { personalPermissionByGrant } from '../authz/permissions.ts';
import type { Tuple } from '../authz/authz.ts';
import type { Connection } from '../platform/postgres/database.ts';
import { listAuthority } from './store.ts';
import type { KeyRow } from './store.ts';

/** Projects the live keys of an account, or one of them, to what they may do there. */
export async function projectKeys(
  connection: Connection,
  account_id: string,
  id: string | null,
): Promise<Tuple[]> {
  return (await listAuthority(connection, { account_id, id })).flatMap(keyTuples);
}

/**
 * What OpenFGA knows of an active personal key. What is granted is carried as it stands: the
 * model, not the row, adds the views it implies (G1).
 */
export function keyTuples(key: Pick<KeyRow, 'id' | 'account_id' | 'grants' | 'mcp_capabilities'>) {
  const user = `api_key:${key.id}`;
  const object = `account:${key.account_id}`;
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
