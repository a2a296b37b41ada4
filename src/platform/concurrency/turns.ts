/** How long one turn of the event loop works before other requests get theirs. */
const TURN_MS = 10;

/** Long work in steps: each `yield` is at most a few milliseconds after the one before. */
export type Steps<Result> = Generator<void, Result, void>;

/**
 * Runs long work in turns of the event loop, so that it never holds up other requests. The turns
 * are shared fairly among keys, such as owner ids.
 */
export async function inTurns<Result>(fairnessKey: string, steps: Steps<Result>): Promise<Result> {
  let startedAt = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - startedAt < TURN_MS) continue;
    await nextTurn(fairnessKey);
    startedAt = performance.now();
  }
}

/** Runs long work at once, where nothing else waits for the thread. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

// Of the process, like the event loop itself: Node.js runs all waiting immediates in one turn, so
// many computations at once would hold it for many times TURN_MS. In round-robin order; contains no
// empty queue.
const waiting = new Map<string, (() => void)[]>();
let isScheduled = false;

/** Waits for a turn that no other long work gets; keys get theirs one after the other. */
export function nextTurn(fairnessKey: string): Promise<void> {
  return new Promise((resolve) => {
    waiting.set(fairnessKey, [...(waiting.get(fairnessKey) ?? []), resolve]);
    if (!isScheduled) setImmediate(giveTurn);
    isScheduled = true;
  });
}

function giveTurn(): void {
  const [[key, [start, ...rest]] = ['', []]] = waiting;
  waiting.delete(key);
  if (rest.length > 0) waiting.set(key, rest);
  isScheduled = waiting.size > 0;
  if (isScheduled) setImmediate(giveTurn);
  start?.();
}
