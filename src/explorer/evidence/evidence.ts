import type { Tuple } from '../../authz/authz.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Evidence } from '../schema.ts';
import { soughtChanges } from './sources.ts';
import { listLatestChanges } from './store.ts';
import type { ChangeRow } from './store.ts';

/** Returns tuples with who wrote them, and when, in the same lists. */
export type EvidenceOf = (
  organization_id: string,
  lists: readonly (readonly Tuple[])[],
) => Promise<Evidence[][]>;

/**
 * Creates the function that says who wrote tuples: the latest change that could have. The audit log has
 * changes of rows, and tuples follow from rows.
 */
export function createEvidence({ pool }: Pick<Database, 'pool'>): EvidenceOf {
  return async (organization_id, lists) => {
    const sought = new Map(
      lists
        .flat()
        .flatMap(soughtChanges)
        .map((one) => [`${one.action} ${one.target_id} ${one.account_id}`, one]),
    );
    const changes =
      sought.size === 0 ? [] : await listLatestChanges(pool, organization_id, [...sought.values()]);
    const byChange = new Map(changes.map((one) => [`${one.action} ${one.target_id}`, one]));
    return lists.map((tuples) => tuples.map((tuple) => evidenceFor(tuple, byChange)));
  };
}

function evidenceFor(tuple: Tuple, changes: ReadonlyMap<string, ChangeRow>): Evidence {
  const found = soughtChanges(tuple)
    .flatMap(({ action, target_id }) => changes.get(`${action} ${target_id}`) ?? [])
    .toSorted((one, other) => (one.at < other.at ? 1 : -1));
  const [latest] = found;
  return {
    ...{ subject: tuple.user, relation: tuple.relation, object: tuple.object },
    granted_by: latest
      ? { kind: latest.actor_kind, id: latest.actor_id, email: latest.email }
      : null,
    granted_at: latest?.at ?? null,
  };
}
