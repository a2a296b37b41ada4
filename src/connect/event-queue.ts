const MAX_WAITING = 100;

/** Creates a queue that one reader waits for, until `ended`. Of too many entries, the oldest go. */
export function createEventQueue<Entry>(ended: AbortSignal) {
  const waiting: Entry[] = [];
  let wake = Promise.withResolvers<void>();
  ended.addEventListener('abort', () => wake.resolve());
  return {
    add(entry: Entry): void {
      waiting.push(entry);
      if (waiting.length > MAX_WAITING) waiting.shift();
      wake.resolve();
    },
    async *entries(): AsyncGenerator<Entry> {
      while (!ended.aborted) {
        await wake.promise;
        wake = Promise.withResolvers();
        yield* waiting.splice(0);
      }
    },
  };
}
