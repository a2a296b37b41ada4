/** The work's own outcome, or `late` once the time is up; the work itself goes on. */
export function within<T>(work: Promise<T>, milliseconds: number, late: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), milliseconds);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/**
 * Returns the work's outcome, or throws `late` once the time is up. Work that calls `beforeCommit`
 * last in its transaction saves nothing then: late work throws there and rolls back, and work that
 * has begun to commit is waited for.
 */
export function withinOrUndone<T>(
  work: (beforeCommit: () => void) => Promise<T>,
  milliseconds: number,
  late: () => Error,
): Promise<T> {
  let state: 'working' | 'committing' | 'late' = 'working';
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    if (state === 'committing') return;
    state = 'late';
    reject(late());
  }, milliseconds);
  const beforeCommit = () => {
    if (state === 'late') throw late();
    state = 'committing';
  };
  return Promise.race([work(beforeCommit), promise]).finally(() => clearTimeout(timer));
}
