import { createCounts } from '../platform/concurrency/counts.ts';
import { limited, unavailable } from '../platform/errors/refusal.ts';

/** How many jobs a gateway holds, running or waiting. */
export const MAX_JOBS = 24;
/** How many of them one quota owner can have. */
export const MAX_JOBS_OF_OWNER = 5;
const RETRY_SECONDS = 10;

/** Limits the jobs of a gateway, since each keeps the body of its request until it has ended. */
export function createAdmission() {
  const jobs = createCounts();
  let isStopping = false;

  /** Throws 503 once the gateway stops. */
  function requireOpen(): void {
    if (isStopping) throw unavailable('the gateway stops');
  }

  return {
    requireOpen,
    /** Counts one more job until `leave` is called; throws 503, or 429 for the owner's limit. */
    enter(owner: string): { leave(): void } {
      requireOpen();
      if (jobs.of(owner) >= MAX_JOBS_OF_OWNER) throw tooMany();
      if (jobs.total() >= MAX_JOBS) throw unavailable('too many jobs are waiting');
      return { leave: jobs.enter(owner) };
    },
    /** Admits no more jobs. */
    stop: () => void (isStopping = true),
  };
}

const tooMany = () =>
  limited(
    'rate_limited',
    `At most ${MAX_JOBS_OF_OWNER} jobs of an account or organization can run or wait on a gateway. Wait until one has ended.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
