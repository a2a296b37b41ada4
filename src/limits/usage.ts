import type { Owner } from '../caller/caller.ts';
import type { Plans } from '../platform/plans.ts';
import { unavailable } from '../platform/refusal.ts';
import type { Window } from './admission.ts';
import type { RemoteLimiter } from './remote-limiter.ts';

interface Use<Name extends Window> {
  window: Name;
  limit: number;
  used: number;
  /** ISO 8601. */
  resets_at: string;
}

/** Tool calls of an owner: what is used of each window and of the month. */
export interface Usage {
  windows: Use<'minute' | 'hour' | 'day'>[];
  month: Omit<Use<'month'>, 'window'>;
}

export interface UsageDependencies {
  plans: Plans;
  remote: Pick<RemoteLimiter, 'use'>;
  used(owner: Owner, month: string): Promise<number>;
}

/** Reads and seeds nothing; only Redis knows the windows, so without it there is no answer. */
export async function readUsage(dependencies: UsageDependencies, owner: Owner): Promise<Usage> {
  const { plans, remote, used } = dependencies;
  const limits = plans[owner.plan].tool_calls;
  const counted = await remote.use(owner);
  if (!counted) throw unavailable('windows are not known while Redis is away');
  const { month } = counted;
  return {
    windows: (['minute', 'hour', 'day'] as const).map((window) => ({
      window,
      limit: limits[window],
      used: counted[window].used,
      resets_at: iso(counted[window].resets_at),
    })),
    month: {
      limit: limits.month,
      used: month.used ?? (await used(owner, month.name)),
      resets_at: iso(month.resets_at),
    },
  };
}

const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
