import type { QuotaOwner } from '../../caller/principal.ts';
import { unavailable } from '../../platform/errors/refusal.ts';
import { ownerTag } from '../admission.ts';
import type { Allowance, CountedCall } from '../admission.ts';
import { addBounded } from '../fallback/bounded-queue.ts';
import type { CallKind } from '../schema.ts';
import type { Seed } from './admission-batch.ts';
import type { Counters } from './counters.ts';

type OwnerRef = Pick<QuotaOwner, 'kind' | 'id'>;

export interface RemoteDependencies {
  counters: Counters;
  /** Returns the ledger's total plus this process's calls that are not in it yet. */
  countCalls(owner: OwnerRef, month: string): Promise<number>;
}

const SEED_ROUNDS = 3;

/** Creates the limiter that uses the counters in Redis, if Redis is reachable. */
export function createRemoteLimiter(dependencies: RemoteDependencies) {
  const { counters, countCalls } = dependencies;
  const laggingOwners = new Map<string, { month: string }>();

  const readSeed = async (owner: OwnerRef, month: string): Promise<Seed> => ({
    month,
    calls: await countCalls(owner, month),
  });

  function catchUp(owner: OwnerRef, lag: { month: string }): void {
    const tag = ownerTag(owner);
    if (laggingOwners.get(tag) === lag) laggingOwners.delete(tag);
  }

  return {
    async admit(request: CountedCall, allowance: Allowance) {
      const isBehind = allowance.month !== null && laggingOwners.size > 0;
      const lag = isBehind ? laggingOwners.get(ownerTag(request.quota_owner)) : undefined;
      let seed: Seed | null = lag ? await readSeed(request.quota_owner, lag.month) : null;
      for (let round = 1; round <= SEED_ROUNDS; round += 1) {
        const answer = await counters.admit(request, allowance, seed);
        if ('noReply' in answer) return answer;
        if (answer.verdict === 'decided') {
          if (lag) catchUp(request.quota_owner, lag);
          return answer.admission;
        }
        if (answer.verdict === 'released') throw unavailable('the call was cancelled');
        seed = await readSeed(request.quota_owner, answer.month);
      }
      throw unavailable('the monthly usage could not be loaded');
    },
    /** Returns null if Redis is unavailable. */
    async readUse(owner: QuotaOwner, kind: CallKind) {
      const answer = await counters.readUse(owner, kind);
      return 'noReply' in answer ? null : answer.reply;
    },
    /**
     * Records that a call was admitted without Redis, so that the owner's next call seeds Redis
     * with the ledger's total.
     */
    noteBypass(owner: OwnerRef, month: string) {
      addBounded(laggingOwners, ownerTag(owner), { month });
    },
  };
}
export type RemoteLimiter = ReturnType<typeof createRemoteLimiter>;
