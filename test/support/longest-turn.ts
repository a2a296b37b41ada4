/**
 * Returns how long the event loop was held at most while `work` ran, in milliseconds. Counts the
 * processor time of this thread, so that other processes on the machine make no difference.
 */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let turnStart = threadMs();
  let isOver = false;
  const endTurn = () => {
    const now = threadMs();
    longest = Math.max(longest, now - turnStart);
    turnStart = now;
  };
  const watch = () => {
    endTurn();
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  await work().finally(() => {
    isOver = true;
  });
  endTurn();
  return longest;
}

const ordinary = JSON.stringify(
  Array.from({ length: 5_000 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a', 'b'] })),
);

/**
 * Returns how long a turn may last on this machine and at this moment, in milliseconds: as long as
 * it takes to read and write an ordinary document of 200 kB ten times, which is some 50.
 */
function allowedTurn(): number {
  const start = threadMs();
  for (let round = 0; round < 10; round += 1) JSON.stringify(JSON.parse(ordinary));
  return threadMs() - start;
}

/**
 * Returns the longest turn as a share of the allowed one. Of three runs the shortest counts: the
 * first also compiles code, and garbage collection comes at any time.
 */
export async function heldShare(work: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 3 && least > 1; run += 1)
    least = Math.min(least, (await longestTurn(work)) / allowedTurn());
  return least;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
