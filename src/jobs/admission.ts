import { limited, unavailable } from '../platform/errors/refusal.ts';

/** How many jobs a gateway holds, running or waiting. */
export const MAX_JOBS = 24;
/** How many of them one quota owner can have. */
export const MAX_JOBS_OF_OWNER = 5;
const RETRY_SECONDS = 10;

/** Limits the jobs of a gateway, since each keeps the body of its request until it has ended. */
export function createAdmission() {
  const counts = new Map<string, number>();
  let total = 0;
  let isStopping = false;

  /** Throws 503 once the gateway stops. */
  function requireOpen(): void {
    if (isStopping) throw unavailable('the gateway stops');
  }

  function release(owner: string): void {
    total -= 1;
    const rest = counts.get(owner)! - 1;
    if (rest > 0) counts.set(owner, rest);
    else counts.delete(owner);
  }

  return {
    requireOpen,
    /** Counts one more job until `leave` is called once; throws 503, or 429 for the owner's limit. */
    enter(owner: string): { leave(): void } {
      requireOpen();
      const count = counts.get(owner) ?? 0;
      if (count >= MAX_JOBS_OF_OWNER) throw tooMany();
      if (total >= MAX_JOBS) throw unavailable('too many jobs are waiting');
      counts.set(owner, count + 1);
      total += 1;
      return { leave: () => release(owner) };
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
