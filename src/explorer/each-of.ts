/** How many principals are read, and subjects decided about, at a time. */
const AT_ONCE = 2;

/** Calls a function for each entry, a few at a time. */
export async function eachOf<Entry>(
  entries: Iterable<Entry>,
  run: (entry: Entry) => Promise<void>,
): Promise<void> {
  const left = entries[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
