import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { QuotaOwner } from '../../caller/principal.ts';
import type { Admission, AdmissionRequest, Allowance, Window } from '../admission.ts';
import { ownerTag } from '../admission.ts';
import type { LedgerEntry } from '../ledger/row.ts';

type OwnerRef = Pick<QuotaOwner, 'kind' | 'id'>;

export interface LocalDependencies {
  liveInstances(): number;
  ledger: {
    thisMonth(owner: OwnerRef): Promise<{ month: string; calls: number; seconds_left: number }>;
    unflushed(owner: OwnerRef, month: string): number;
    open(request: AdmissionRequest, month: string): LedgerEntry;
  };
}

const SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;
type LocalWindow = keyof typeof SECONDS;

/**
 * Creates the limiter that replaces Redis within this process: each live gateway grants its share
 * of every window. Its windows begin with their first call, unlike those in Redis, which follow the
 * clock. The month is not divided: all gateways read it from the same ledger.
 */
export function createLocalLimiter({ liveInstances, ledger }: LocalDependencies) {
  const limiters = new Map<string, RateLimiterMemory>();

  function limiterOf(window: LocalWindow, limit: number): RateLimiterMemory {
    const points = Math.ceil(limit / Math.max(1, liveInstances()));
    const key = `${window}:${limit}`;
    const duration = SECONDS[window];
    const limiter = limiters.get(key) ?? new RateLimiterMemory({ points, duration });
    // The number of gateways may change during a window.
    limiter.points = points;
    limiters.set(key, limiter);
    return limiter;
  }

  return {
    async admit(request: AdmissionRequest, allowance: Allowance): Promise<Admission> {
      const group = request.kind === 'content_read' ? 'reads' : 'calls';
      const key = `${group}:${ownerTag(request.quota_owner)}`;
      const windows = windowsOf(allowance);
      const callLimiters = windows.map(({ name, limit }) => limiterOf(name, limit));
      const giveBack = () => Promise.all(callLimiters.map((limiter) => limiter.reward(key)));
      // The library counts before it refuses, and counts in all windows before this function
      // yields.
      const results = await Promise.allSettled(callLimiters.map((limiter) => limiter.consume(key)));
      const full = findFull(windows, results);
      if (full) {
        await giveBack();
        return refuse(full.name, full.limit, full.seconds);
      }
      if (allowance.month === null) return { session: null, admitted: true, month: null };
      const admission = await admitMonth(request, allowance.month).catch(async (error) => {
        await giveBack();
        throw error;
      });
      if (!admission.admitted) await giveBack();
      return admission;
    },
  };

  /** Checks the month and counts the call without yielding in between. */
  async function admitMonth(request: AdmissionRequest, limit: number): Promise<Admission> {
    const { month, calls, seconds_left } = await ledger.thisMonth(request.quota_owner);
    if (calls + ledger.unflushed(request.quota_owner, month) >= limit)
      return refuse('month', limit, seconds_left);
    const entry = ledger.open(request, month);
    return { session: null, admitted: true, month, entry };
  }
}
export type LocalLimiter = ReturnType<typeof createLocalLimiter>;

const windowsOf = (allowance: Allowance) =>
  (['minute', 'hour', 'day'] as const).flatMap((name) => {
    const limit = allowance[name];
    return limit === null ? [] : [{ name, limit }];
  });

/** Returns the full window that opens last, or null if none is full. */
function findFull(
  windows: readonly { name: LocalWindow; limit: number }[],
  results: readonly PromiseSettledResult<RateLimiterRes>[],
) {
  const full = results.flatMap((result, index) => {
    const window = windows[index];
    if (result.status === 'fulfilled' || window === undefined) return [];
    if (!(result.reason instanceof RateLimiterRes)) throw result.reason;
    return [{ ...window, seconds: Math.ceil(result.reason.msBeforeNext / 1_000) }];
  });
  return full.toSorted((a, b) => b.seconds - a.seconds)[0] ?? null;
}

const refuse = (window: Window, limit: number, seconds: number): Admission => ({
  session: null,
  admitted: false,
  window,
  limit,
  retry_after_seconds: Math.max(1, seconds),
});
