import { diffArrays } from 'diff';
import { canonicalJson } from '../platform/json/canonical-json.ts';
import { toJsonPointer } from '../platform/json/json-pointer.ts';

export interface Change {
  op: 'add' | 'remove' | 'replace';
  path: string;
  value?: unknown;
}

/** Arrays with more edits than this are compared by position. */
const MAX_ARRAY_EDITS = 500;

/** Returns an RFC 6902 patch that turns `before` into `after`, with array elements aligned. */
export function compareJson(before: unknown, after: unknown, path = ''): Change[] {
  if (Array.isArray(before) && Array.isArray(after)) return compareArrays(before, after, path);
  if (isRecord(before) && isRecord(after)) return compareRecords(before, after, path);
  return Object.is(before, after) ? [] : [{ op: 'replace', path, value: after }];
}

function compareRecords(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  path: string,
): Change[] {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [
    ...removed.map((key): Change => ({ op: 'remove', path: join(path, key) })),
    ...Object.keys(after).flatMap((key): Change[] =>
      Object.hasOwn(before, key)
        ? compareJson(before[key], after[key], join(path, key))
        : [{ op: 'add', path: join(path, key), value: after[key] }],
    ),
  ];
}

/** Compares arrays; each index takes the patch's preceding operations into account. */
function compareArrays(before: unknown[], after: unknown[], path: string): Change[] {
  const changes: Change[] = [];
  let from = 0;
  let index = 0;
  for (const { removed, added, values } of align(before, after)) {
    const common = Math.min(removed, added);
    for (let step = 0; step < common; step += 1)
      changes.push(...compareJson(before[from + step], values[step], join(path, index + step)));
    for (let step = common; step < added; step += 1)
      changes.push({ op: 'add', path: join(path, index + step), value: values[step] });
    for (let step = common; step < removed; step += 1)
      changes.push({ op: 'remove', path: join(path, index + common) });
    from += removed;
    index += added;
  }
  return changes;
}

interface Run {
  removed: number;
  added: number;
  values: unknown[];
}

function align(before: unknown[], after: unknown[]): Run[] {
  const edits = diffArrays(before.map(canonicalJson), after.map(canonicalJson), {
    maxEditLength: MAX_ARRAY_EDITS,
  });
  if (!edits) return [{ removed: before.length, added: after.length, values: after }];
  const runs: Run[] = [];
  let position = 0;
  for (const { added, removed, count } of edits) {
    const consumed = removed ? 0 : count;
    const values = after.slice(position, position + consumed);
    const last = runs.at(-1);
    // Adjacent removals and additions represent changed elements.
    const isPair = last !== undefined && (added ? last.added === 0 : removed && last.removed === 0);
    if (isPair && last) Object.assign(last, added ? { added: count, values } : { removed: count });
    else runs.push({ removed: added ? 0 : count, added: consumed, values });
    position += consumed;
  }
  return runs;
}

const join = (path: string, key: string | number) => path + toJsonPointer([key]);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
