import type { ScopeKind, ScopeRef } from '../../caller/scope.ts';
import { isUuid } from '../../platform/ids.ts';
import { tupleKey } from '../tuple.ts';
import type { Delta, Tuple } from '../tuple.ts';

/** One change in OpenFGA's change log. */
export interface TupleChange {
  tuple: Tuple;
  operation: 'write' | 'delete';
  /** Start of the Write's transaction, to the microsecond: the same for all changes of a Write. */
  at: string;
}

/** A fencing token, with the scope it belongs to. */
export interface Fence extends ScopeRef {
  fence: string;
}

const FENCE_OBJECT = /^scope:([a-z]+)\.(.*)$/;

/** Returns the fencing tokens that these changes write, which name parts of the outbox. */
export function fencesIn(changes: readonly TupleChange[]): Fence[] {
  return changes.flatMap(({ operation, tuple: { user, relation, object } }) => {
    const [, kind, id = ''] = FENCE_OBJECT.exec(object) ?? [];
    if (operation === 'delete' || relation !== 'at' || kind === undefined || !isUuid(id)) return [];
    return [{ kind: kind as ScopeKind, id, fence: user.replace('revision:', '') }];
  });
}

/**
 * Returns the changes that belong to none of the given Writes, and the Writes that were found. A Write
 * is found where all its changes have the same time; a change belongs to one Write only, so that a
 * foreign one in the same microsecond remains.
 */
export function matchWrites<Own extends Delta>(
  changes: readonly TupleChange[],
  own: readonly Own[],
): { foreign: TupleChange[]; found: Own[] } {
  const foreign: TupleChange[] = [];
  const found = new Set<Own>();
  const byChange = indexByChange(own);
  for (const group of Map.groupBy(changes, ({ at }) => at).values()) {
    const open = Map.groupBy(group, changeKey);
    for (const write of group.flatMap((change) => byChange.get(changeKey(change)) ?? [])) {
      if (found.has(write)) continue;
      const keys = keysOf(write);
      if (!keys.every((key) => (open.get(key)?.length ?? 0) > 0)) continue;
      for (const key of keys) open.get(key)!.pop();
      found.add(write);
    }
    foreign.push(...[...open.values()].flat());
  }
  return { foreign, found: [...found] };
}

/** Indexes Writes by their last change, which for most of them is a fencing token of their own. */
function indexByChange<Own extends Delta>(own: readonly Own[]): Map<string, Own[]> {
  const index = new Map<string, Own[]>();
  for (const write of own) {
    const key = keysOf(write).at(-1);
    if (key !== undefined) index.set(key, [...(index.get(key) ?? []), write]);
  }
  return index;
}

const keysOf = ({ deletes, writes }: Delta): string[] => [
  ...deletes.map((tuple) => changeKey({ operation: 'delete', tuple })),
  ...writes.map((tuple) => changeKey({ operation: 'write', tuple })),
];

const changeKey = ({ operation, tuple }: Pick<TupleChange, 'operation' | 'tuple'>) =>
  `${operation} ${tupleKey(tuple)}`;
