/**
 * Returns the work's outcome, or throws `late()` after `milliseconds`; the work itself continues.
 */
export function withTimeout<T>(
  work: Promise<T>,
  milliseconds: number,
  late: () => Error,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), milliseconds);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/**
 * Returns the work's outcome, or throws `late()` after `milliseconds`. If the work calls
 * `beforeCommit` last in its transaction, a timeout saves nothing: late work throws there and rolls
 * back, and a commit that has begun is awaited.
 */
export function withinOrRollBack<T>(
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
