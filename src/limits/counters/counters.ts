import { z } from 'zod';
import type { QuotaOwner } from '../../caller/principal.ts';
import type { Breaker } from '../../platform/concurrency/breaker.ts';
import { newId } from '../../platform/ids.ts';
import { readScript, runScript } from '../../platform/redis/redis-script.ts';
import type { RedisScript } from '../../platform/redis/redis-script.ts';
import type { RedisLink } from '../../platform/redis/redis.ts';
import { ownerTag } from '../admission.ts';
import type { Allowance, CountedCall } from '../admission.ts';
import type { CallKind } from '../schema.ts';
import { readAnswers, writeBatch } from './admission-batch.ts';
import type { Answer, Question, Seed } from './admission-batch.ts';
import { ask } from './ask.ts';
import type { NoReply } from './ask.ts';
import { createBatches } from './batches.ts';

/** Where Redis stores the answer to a call: the key of its batch and its 1-based index there. */
export interface BatchEntry {
  batch: string;
  at: number;
}

export interface Unanswered extends NoReply {
  place: BatchEntry;
}

export interface MonthTotal extends Seed {
  quota_owner: Pick<QuotaOwner, 'kind' | 'id'>;
}

export interface WindowUse {
  used: number;
  resets_at: number;
}

export interface CountersUse {
  minute: WindowUse;
  hour: WindowUse;
  day: WindowUse;
  /** `used` is null if Redis does not have this month. */
  month: { name: string; used: number | null; resets_at: number };
}

/**
 * The counters in Redis. Each method runs one idempotent script, and retries it once if no reply
 * comes. Calls that are admitted in one turn of the event loop share one run.
 */
export interface Counters {
  admit(
    request: CountedCall,
    allowance: Allowance,
    seed: Seed | null,
  ): Promise<Answer | Unanswered>;
  /** Returns the month in which a count was undone, or null if there was none to undo. */
  release(
    request: Pick<CountedCall, 'quota_owner' | 'kind'>,
    place: BatchEntry,
  ): Promise<{ reply: string | null } | NoReply>;
  raise(totals: readonly MonthTotal[]): Promise<{ reply: void } | NoReply>;
  use(owner: QuotaOwner, kind: CallKind): Promise<{ reply: CountersUse } | NoReply>;
}

export function createCounters(
  redis: RedisLink,
  breaker: Breaker,
  /** Overridden in tests only. */
  newBatch: () => string = newId,
): Counters {
  const { prefix, commands } = redis;
  const countersKey = (owner: Pick<QuotaOwner, 'kind' | 'id'>, kind: CallKind) =>
    `${prefix}lim:${ownerTag(owner)}:${kind === 'content_read' ? 'reads' : 'calls'}`;
  const run = (script: RedisScript, keys: string[], values: string[]) =>
    runScript(commands, script, keys, values);
  // In a cluster all keys of a script must be in one slot, so each owner's calls are batched
  // separately.
  const slotOf = (owner: Pick<QuotaOwner, 'kind' | 'id'>) =>
    commands.isCluster ? `${ownerTag(owner)}:` : '';
  const askInBatch = createBatches<Question & { slot: string }, Answer | Unanswered>(
    ({ slot }) => slot,
    async (questions) => {
      // New for each batch but the same in a retry, so that Redis recognizes repeated calls.
      const batch = `${prefix}lim:${questions[0]!.slot}batch:${newBatch()}`;
      const { keys, text } = writeBatch(prefix, questions);
      const answer = await ask(breaker, async () =>
        readAnswers(Reply.parse(await run(scripts.admission, [batch, ...keys], [text]))),
      );
      if ('reply' in answer) return answer.reply;
      return questions.map((_, index) => ({ ...answer, place: { batch, at: index + 1 } }));
    },
  );

  return {
    admit: ({ quota_owner, kind, session }, limits, seed) =>
      askInBatch({
        slot: slotOf(quota_owner),
        counters: countersKey(quota_owner, kind),
        limits,
        seed: seed ?? undefined,
        session,
      }),
    release: ({ quota_owner, kind }, { batch, at }) =>
      ask(breaker, async () => {
        const keys = [countersKey(quota_owner, kind), batch];
        const month = Reply.parse(await run(scripts.release, keys, [String(at)]));
        return month === '' ? null : month;
      }),
    raise: (totals) =>
      ask(breaker, async () => {
        const groups = Map.groupBy(totals, ({ quota_owner }) => slotOf(quota_owner));
        const raised = Array.from(groups.values(), (group) => {
          const keys = group.map(({ quota_owner }) => countersKey(quota_owner, 'tool_call'));
          const values = group.flatMap(({ month, calls }) => [month, String(calls)]);
          return run(scripts.raise, keys, values);
        });
        await Promise.all(raised);
      }),
    use: (owner, kind) =>
      ask(breaker, async () => readUse(await run(scripts.usage, [countersKey(owner, kind)], []))),
  };
}

const file = (name: string) => new URL(name, import.meta.url);
const [calendar, stored] = [file('calendar.lua'), file('stored.lua')];
const scripts = {
  admission: readScript(calendar, stored, file('admission.lua')),
  release: readScript(calendar, stored, file('release.lua')),
  raise: readScript(stored, file('raise.lua')),
  usage: readScript(calendar, stored, file('usage.lua')),
};

const Reply = z.string();

const UseReply = z.array(z.string()).length(9);

function readUse(reply: unknown): CountersUse {
  const values = UseReply.parse(reply);
  const number = (at: number) => Number(values[at]);
  const window = (at: number) => ({ used: number(at), resets_at: number(at + 1) });
  return {
    minute: window(0),
    hour: window(2),
    day: window(4),
    month: {
      name: values[6] ?? '',
      used: values[7] === '' ? null : number(7),
      resets_at: number(8),
    },
  };
}
