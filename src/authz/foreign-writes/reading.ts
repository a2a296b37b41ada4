import type { Engine } from '../engine/client.ts';
import type { TupleChange } from './matching.ts';

/** Where reading continues: after a token of OpenFGA or, before the first one, at a time. */
export interface LogPosition {
  token: string | null;
  begins_at: string;
}

export interface Settled {
  changes: TupleChange[];
  /** The position after these changes. */
  token: string | null;
  /** More changes are likely to be settled already. */
  hasMore: boolean;
}

/** OpenFGA's limit. */
const PAGE_SIZE = 100;
/**
 * The changes of a Write have ids of one millisecond and mix only with those of other Writes of that
 * millisecond. This many read ahead contain the rest of any Write that begins before them.
 */
const READ_AHEAD_PAGES = 5;
const MAX_PAGES = 15;

/**
 * Reads the next changes from before `settledUntil`, in milliseconds since 1970. A Write gets its ids before it is committed, so
 * that a younger one may still become visible before changes that were read; no Write takes that long,
 * nor do clocks differ that much. All changes of a Write are returned together.
 */
export async function readSettled(
  engine: Pick<Engine, 'readChanges'>,
  position: LogPosition,
  settledUntil: number,
): Promise<Settled> {
  const tokens: (string | null)[] = [position.token];
  const changes: TupleChange[] = [];
  let isEnd = false;
  while (!isEnd && tokens.length <= MAX_PAGES) {
    const from = { token: tokens.at(-1)!, since: position.begins_at };
    const page = await engine.readChanges(from, PAGE_SIZE);
    changes.push(...page.changes);
    tokens.push(page.token);
    isEnd = page.changes.length < PAGE_SIZE;
  }
  const limit = isEnd ? changes.length : (MAX_PAGES - READ_AHEAD_PAGES) * PAGE_SIZE;
  const settled = Math.min(limit, countSettled(changes, settledUntil));
  const count = wholeWrites(changes, settled);
  if (count === 0) return { changes: [], token: position.token, hasMore: false };
  return {
    changes: changes.slice(0, count),
    token: await tokenAfter(engine, { tokens, since: position.begins_at }, count),
    hasMore: !isEnd && settled === limit,
  };
}

function countSettled(changes: readonly TupleChange[], settledUntil: number): number {
  const first = changes.findIndex(({ at }) => Date.parse(at) > settledUntil);
  return first === -1 ? changes.length : first;
}

/** Returns the largest number of changes, up to `limit`, that ends within no Write. */
function wholeWrites(changes: readonly TupleChange[], limit: number): number {
  const after = new Set(changes.slice(limit).map(({ at }) => at));
  let count = limit;
  // A time that is also found later moves the end before its first change, and before those that then
  // are found on both sides.
  for (let index = limit - 1; index >= 0; index -= 1) {
    const { at } = changes[index]!;
    if (!after.has(at)) continue;
    for (const moved of changes.slice(index, count)) after.add(moved.at);
    count = index;
  }
  return count;
}

/** Returns the token after the first changes; a page that they end within is read again up to there. */
async function tokenAfter(
  engine: Pick<Engine, 'readChanges'>,
  { tokens, since }: { tokens: readonly (string | null)[]; since: string },
  count: number,
): Promise<string | null> {
  const pages = Math.floor(count / PAGE_SIZE);
  const rest = count % PAGE_SIZE;
  const token = tokens[pages]!;
  return rest === 0 ? token : (await engine.readChanges({ token, since }, rest)).token;
}
