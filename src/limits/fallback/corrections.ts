import { ownerTag } from '../admission.ts';
import type { CountedCall } from '../admission.ts';
import type { MonthTotal, BatchPosition } from '../counters/counters.ts';
import { addBounded } from './bounded-queue.ts';
import type { RemoteDependencies } from '../counters/remote-limiter.ts';

// A script blocks all other clients of its server while it runs.
const MAX_RAISES = 100;
// Redis counts calls itself, so a raise matters only if Redis lost some. This interval combines a
// busy owner's totals into one raise.
const RAISE_EVERY_MS = 2_000;

/** Creates the queue of corrections to send to Redis as soon as it is reachable. */
export function createCorrections(dependencies: RemoteDependencies) {
  const { counters, countCalls } = dependencies;
  const releases = new Map<string, { request: CountedCall; position: BatchPosition }>();
  const raises = new Map<string, MonthTotal>();
  let raisesDueAt = 0;

  /** Raises the month's counter to at least this total, within two seconds. */
  function raise(total: MonthTotal): void {
    const key = ownerTag(total.quota_owner) + total.month;
    const before = raises.get(key);
    if (!before || before.calls < total.calls) addBounded(raises, key, total);
  }

  async function drainReleases(): Promise<void> {
    for (const [id, { request, position }] of releases) {
      const answer = await counters.release(request, position);
      if ('noReply' in answer) return;
      releases.delete(id);
      const { quota_owner } = request;
      const month = answer.reply;
      // A raise may have had no effect while the count was too high, so repeat it.
      if (month !== null)
        raise({ quota_owner, month, calls: await countCalls(quota_owner, month) });
    }
  }

  return {
    raise,
    /** Undoes a count that Redis may have made although the call was refused. */
    release(request: CountedCall, position: BatchPosition) {
      addBounded(releases, request.call_id, { request, position });
    },
    /** Sends the corrections that are due; with `all`, all of them. */
    async drain({ all }: { all: boolean } = { all: false }) {
      await drainReleases();
      if (performance.now() < raisesDueAt && !all) return;
      raisesDueAt = performance.now() + RAISE_EVERY_MS;
      while (raises.size > 0) {
        const batch = [...raises.entries().take(MAX_RAISES)];
        if ('noReply' in (await counters.raise(batch.map(([, total]) => total)))) return;
        for (const [key, total] of batch) if (raises.get(key) === total) raises.delete(key);
      }
    },
  };
}
export type Corrections = ReturnType<typeof createCorrections>;
