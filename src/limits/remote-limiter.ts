import type { Owner } from '../caller/caller.ts';
import { unavailable } from '../platform/refusal.ts';
import type { Admission, AdmissionRequest, Allowance } from './admission.ts';
import { ownerTag } from './admission.ts';
import type { Breaker } from './breaker.ts';
import type { Answer, Counters, CountersUse, MonthTotal, Seed } from './counters.ts';

type OwnerRef = Pick<Owner, 'kind' | 'id'>;

/** `away`: Redis gave no answer; `isSent` says whether it may have counted all the same. */
export type RemoteAnswer = Admission | Away;
interface Away {
  away: true;
  isSent: boolean;
}
type Asked<T> = { reply: T } | Away;

/** The counters in Redis, as far as they can be reached. */
export interface RemoteLimiter {
  admit(request: AdmissionRequest, allowance: Allowance): Promise<RemoteAnswer>;
  /** Null when Redis is away. */
  use(owner: Owner): Promise<CountersUse | null>;
  /** Undoes, as soon as Redis can be reached, what it may have counted. */
  release(request: AdmissionRequest): void;
  /** Raises the month, as soon as Redis can be reached, to at least this total. */
  raise(total: MonthTotal): void;
  /** A call was admitted without Redis: the owner's next one brings the ledger's total along. */
  passedBy(owner: OwnerRef, month: string): void;
  /** Sends what waits. */
  drain(): Promise<void>;
}

export interface RemoteDependencies {
  counters: Counters;
  breaker: Breaker;
  /** The ledger's total and our own calls it does not have yet. */
  used(owner: OwnerRef, month: string): Promise<number>;
}

const SEED_ROUNDS = 3;
const MAX_WAITING = 10_000;

export function createRemoteLimiter(dependencies: RemoteDependencies): RemoteLimiter {
  const { counters, breaker, used } = dependencies;
  const releases = new Map<string, AdmissionRequest>();
  const raises = new Map<string, MonthTotal>();
  const behind = new Map<string, { month: string }>();

  /** Repeats once what got no answer, which the call id makes harmless. */
  async function ask<T>(script: () => Promise<T>): Promise<Asked<T>> {
    let isSent = false;
    for (let attempt = 1; attempt <= 2 && breaker.allows(); attempt += 1) {
      isSent = true;
      try {
        const reply = await script();
        breaker.succeeded();
        return { reply };
      } catch (error) {
        breaker.failed(error);
      }
    }
    return { away: true, isSent };
  }

  const readSeed = async (owner: OwnerRef, month: string): Promise<Seed> => ({
    month,
    calls: await used(owner, month),
  });
  const askToAdmit = (request: AdmissionRequest, allowance: Allowance, seed: Seed | null) =>
    ask<Answer>(() => counters.admit(request, allowance, seed));

  function raise(total: MonthTotal): void {
    const key = ownerTag(total.owner) + total.month;
    const before = raises.get(key);
    raises.delete(key);
    if (!before || before.calls < total.calls) keep(raises, key, total);
    else keep(raises, key, before);
  }

  async function drainReleases(): Promise<void> {
    for (const [id, request] of releases) {
      const answer = await ask(() => counters.release(request));
      if ('away' in answer) return;
      releases.delete(id);
      const month = answer.reply;
      // The ledger may have caught up with the count that was just taken back.
      if (month !== null)
        raise({ owner: request.owner, ...(await readSeed(request.owner, month)) });
    }
  }

  return {
    raise,
    async admit(request, allowance) {
      const tag = ownerTag(request.owner);
      const lag = allowance.month === null ? undefined : behind.get(tag);
      let seed: Seed | null = lag ? await readSeed(request.owner, lag.month) : null;
      for (let round = 1; round <= SEED_ROUNDS; round += 1) {
        const answer = await askToAdmit(request, allowance, seed);
        if ('away' in answer) return answer;
        const { reply } = answer;
        if (reply.verdict === 'decided') {
          if (lag && behind.get(tag) === lag) behind.delete(tag);
          return reply.admission;
        }
        if (reply.verdict === 'released') throw unavailable('this call was given up');
        seed = await readSeed(request.owner, reply.month);
      }
      throw unavailable('the month could not be seeded');
    },
    async use(owner) {
      const answer = await ask(() => counters.use(owner));
      return 'away' in answer ? null : answer.reply;
    },
    passedBy: (owner, month) => keep(behind, ownerTag(owner), { month }),
    release(request) {
      keep(releases, request.call_id, request);
    },
    async drain() {
      await drainReleases();
      for (const [key, total] of raises) {
        if ('away' in (await ask(() => counters.raise(total)))) return;
        if (raises.get(key) === total) raises.delete(key);
      }
    },
  };
}

// What is dropped is made good: a count too high soon ends with its window, and one too low with
// the owner's next flush.
function keep<T>(queue: Map<string, T>, key: string, value: T): void {
  queue.set(key, value);
  const [oldest] = queue.keys();
  if (queue.size > MAX_WAITING && oldest !== undefined) queue.delete(oldest);
}
