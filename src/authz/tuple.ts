/** An OpenFGA tuple: `account:u#session@user:u`. */
export interface Tuple {
  user: string;
  relation: string;
  object: string;
}

/** The tuples that one change deletes, and those that it then writes. */
export interface Delta {
  deletes: Tuple[];
  writes: Tuple[];
}

export const isEmpty = ({ deletes, writes }: Delta) => deletes.length + writes.length === 0;

/** The tuples of an object that a change may affect: all of them, or those of one subject. */
export interface Slice {
  object: string;
  subject?: string;
}

/** The server's limit is 100 tuples per Write; two are reserved for the fencing token. */
export const PART_SIZE = 98;

// All other relations of a context object depend on its root tuples. They are deleted first and
// written last, so that a partly applied change never allows more than the old or the new state.
const ROOT_RELATIONS = new Set(['session', 'principal', 'person', 'bearer', 'joined', 'bound']);
const isRoot = (tuple: Tuple) => ROOT_RELATIONS.has(tuple.relation);

export const tupleKey = (tuple: Tuple): string => `${tuple.object}#${tuple.relation}@${tuple.user}`;

/** Returns the changes that turn `before` into `after`; duplicate tuples count once. */
export function difference(before: readonly Tuple[], after: readonly Tuple[]): Delta {
  const old = new Map(before.map((tuple) => [tupleKey(tuple), tuple]));
  const fresh = new Map(after.map((tuple) => [tupleKey(tuple), tuple]));
  return {
    deletes: rootsFirst([...old].filter(([key]) => !fresh.has(key)).map(([, tuple]) => tuple)),
    writes: rootsFirst(
      [...fresh].filter(([key]) => !old.has(key)).map(([, tuple]) => tuple),
    ).toReversed(),
  };
}

const rootsFirst = (tuples: Tuple[]) =>
  tuples.toSorted((a, b) => Number(isRoot(b)) - Number(isRoot(a)));

/** Splits a delta into parts of at most `size` tuples, deletes first; at least one, maybe empty. */
export function splitDelta(delta: Delta, size = PART_SIZE): Delta[] {
  const parts: Delta[] = [];
  let part: Delta = { deletes: [], writes: [] };
  const add = (kind: keyof Delta, tuple: Tuple) => {
    if (part.deletes.length + part.writes.length === size) {
      parts.push(part);
      part = { deletes: [], writes: [] };
    }
    part[kind].push(tuple);
  };
  for (const tuple of delta.deletes) add('deletes', tuple);
  for (const tuple of delta.writes) add('writes', tuple);
  return [...parts, part];
}
