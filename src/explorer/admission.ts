import { createFairQueue } from '../platform/concurrency/fair-queue.ts';
import { unavailable } from '../platform/errors/refusal.ts';

// Reports share the database and OpenFGA with live calls, which must not wait for them; and no
// organization may keep another one waiting.
const REPORTS = { size: 3, sizePerKey: 2, maxWaiting: 100, maxWaitingPerKey: 20 };
const WAIT_MS = 8_000;

/**
 * Creates the function that runs a report when few others run. Organizations take turns; throws 503 if
 * too many wait, or for too long.
 */
export function createAdmission() {
  const createBusyError = () => unavailable('too many reports are waiting');
  const queue = createFairQueue({ ...REPORTS, createBusyError });
  return async function admit<Result>(
    fairnessKey: string,
    report: () => Promise<Result>,
  ): Promise<Result> {
    const turn = { fairnessKey, signal: AbortSignal.timeout(WAIT_MS) };
    await queue.enter(turn).catch((error: unknown) => {
      throw turn.signal.aborted ? createBusyError() : error;
    });
    try {
      return await report();
    } finally {
      queue.leave(turn);
    }
  };
}
