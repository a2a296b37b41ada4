import type { QuotaOwner } from '../caller/principal.ts';
import type { Plans } from '../platform/config/plans.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import { allowanceOf } from './admission.ts';
import type { Window } from './admission.ts';
import type { CallKind } from './schema.ts';
import type { RemoteLimiter } from './counters/remote-limiter.ts';

/** The current state of one window of an owner. */
export interface Use {
  window: Window;
  limit: number;
  used: number;
  /** ISO 8601. */
  resets_at: string;
}

/** Tool calls of an owner in each window and in the month. */
export interface Usage {
  windows: (Use & { window: 'minute' | 'hour' | 'day' })[];
  month: Omit<Use, 'window'>;
}

export interface UsageDependencies {
  plans: Plans;
  remote: Pick<RemoteLimiter, 'readUse'>;
  countCalls(owner: QuotaOwner, month: string): Promise<number>;
}

const windows = ['minute', 'hour', 'day', 'month'] as const;

/**
 * Returns the windows that limit a kind of call, with their use. Neither counts nor seeds. Throws
 * `unavailable` without Redis, since only Redis has the windows.
 */
export async function readWindows(
  { plans, remote, countCalls }: UsageDependencies,
  owner: QuotaOwner,
  kind: CallKind,
): Promise<Use[]> {
  const allowance = allowanceOf(plans, owner, kind);
  const counted = await remote.readUse(owner, kind);
  if (!counted)
    throw unavailable('usage of the rate windows is unknown while Redis is unavailable');
  const applicable = windows.filter((window) => allowance[window] !== null);
  return Promise.all(
    applicable.map(async (window) => ({
      window,
      limit: allowance[window]!,
      used: counted[window].used ?? (await countCalls(owner, counted.month.name)),
      resets_at: new Date(counted[window].resets_at * 1_000).toISOString(),
    })),
  );
}

export async function readUsage(
  dependencies: UsageDependencies,
  owner: QuotaOwner,
): Promise<Usage> {
  const all = await readWindows(dependencies, owner, 'tool_call');
  const month = all.find(({ window }) => window === 'month')!;
  return {
    windows: all.flatMap(({ window, ...use }) => (window === 'month' ? [] : [{ window, ...use }])),
    month: { limit: month.limit, used: month.used, resets_at: month.resets_at },
  };
}
