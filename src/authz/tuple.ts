/** One fact of OpenFGA: `account:u#session@user:u`. */
export interface Tuple {
  user: string;
  relation: string;
  object: string;
}

/** What one change moves; the deletes go first. */
export interface Delta {
  deletes: Tuple[];
  writes: Tuple[];
}

/** The tuples of an object that a change may move: all of them, or those of one subject. */
export interface Slice {
  object: string;
  subject?: string;
}

/** With the two of the fence a Write has at most 100 tuples, the server's limit. */
export const PART_SIZE = 98;

// Root tuples carry everything else of a context object: first among deletes, last among writes, so
// that each half of a change that has several parts allows less than both ends of it.
const ROOT_RELATIONS = new Set(['session', 'principal', 'person', 'bearer', 'joined', 'bound']);
const isRoot = (tuple: Tuple) => ROOT_RELATIONS.has(tuple.relation);

export const tupleKey = (tuple: Tuple): string => `${tuple.object}#${tuple.relation}@${tuple.user}`;

/** after − before, each tuple once. */
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

/** Parts of at most `PART_SIZE`, all deletes before the first write; an empty delta is one part. */
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
