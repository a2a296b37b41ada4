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
import { decodeResults, encodeBatch } from './admission-batch.ts';
import type { AdmissionResult, AdmissionQuery, Seed } from './admission-batch.ts';
import { sendWithRetry } from './send-with-retry.ts';
import type { NoReply } from './send-with-retry.ts';
import { createBatches } from './batches.ts';

/** Where Redis stores the result of a call: the key of its batch, and its 1-based index in it. */
export interface BatchPosition {
  batch: string;
  at: number;
}

export interface UnansweredCall extends NoReply {
  position: BatchPosition;
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
 * Creates the counters in Redis. Each method runs one idempotent script, and retries it once if no
 * reply comes. Calls in one turn of the event loop are admitted by one run of the script.
 */
export function createCounters(
  redis: RedisLink,
  breaker: Breaker,
  /** Overridden in tests only. */
  newBatch: () => string = newId,
) {
  const { prefix, commands } = redis;
  const countersKey = (owner: Pick<QuotaOwner, 'kind' | 'id'>, kind: CallKind) =>
    `${prefix}lim:${ownerTag(owner)}:${kind === 'content_read' ? 'reads' : 'calls'}`;
  const run = (script: RedisScript, keys: string[], values: string[]) =>
    runScript(commands, script, keys, values);
  // In a cluster all keys of a script must be in one slot, so each owner's calls are batched
  // separately.
  const slotOf = (owner: Pick<QuotaOwner, 'kind' | 'id'>) =>
    commands.isCluster ? `${ownerTag(owner)}:` : '';
  const admitInBatch = createBatches<
    AdmissionQuery & { slot: string },
    AdmissionResult | UnansweredCall
  >(
    ({ slot }) => slot,
    async (questions) => {
      // New for each batch, but the same for a retry, so that Redis recognizes repeated calls.
      const batch = `${prefix}lim:${questions[0]!.slot}batch:${newBatch()}`;
      const { keys, text } = encodeBatch(prefix, questions);
      const answer = await sendWithRetry(breaker, async () =>
        decodeResults(Reply.parse(await run(scripts.admission, [batch, ...keys], [text]))),
      );
      if ('reply' in answer) return answer.reply;
      return questions.map((_, index) => ({ ...answer, position: { batch, at: index + 1 } }));
    },
  );

  return {
    admit: ({ quota_owner, kind, session }: CountedCall, limits: Allowance, seed: Seed | null) =>
      admitInBatch({
        slot: slotOf(quota_owner),
        counters: countersKey(quota_owner, kind),
        limits,
        seed: seed ?? undefined,
        session,
      }),
    /** Returns the month in which a count was undone, or null if there was none to undo. */
    release: (
      { quota_owner, kind }: Pick<CountedCall, 'quota_owner' | 'kind'>,
      { batch, at }: BatchPosition,
    ) =>
      sendWithRetry(breaker, async () => {
        const keys = [countersKey(quota_owner, kind), batch];
        const month = Reply.parse(await run(scripts.release, keys, [String(at)]));
        return month === '' ? null : month;
      }),
    raise: (totals: readonly MonthTotal[]) =>
      sendWithRetry(breaker, async () => {
        const groups = Map.groupBy(totals, ({ quota_owner }) => slotOf(quota_owner));
        const raised = Array.from(groups.values(), (group) => {
          const keys = group.map(({ quota_owner }) => countersKey(quota_owner, 'tool_call'));
          const values = group.flatMap(({ month, calls }) => [month, String(calls)]);
          return run(scripts.raise, keys, values);
        });
        await Promise.all(raised);
      }),
    readUse: (owner: QuotaOwner, kind: CallKind) =>
      sendWithRetry(breaker, async () =>
        parseUse(await run(scripts.usage, [countersKey(owner, kind)], [])),
      ),
  };
}
export type Counters = ReturnType<typeof createCounters>;

const scriptUrl = (name: string) => new URL(name, import.meta.url);
const [calendar, stored] = [scriptUrl('calendar.lua'), scriptUrl('stored.lua')];
const scripts = {
  admission: readScript(calendar, stored, scriptUrl('admission.lua')),
  release: readScript(calendar, stored, scriptUrl('release.lua')),
  raise: readScript(stored, scriptUrl('raise.lua')),
  usage: readScript(calendar, stored, scriptUrl('usage.lua')),
};

const Reply = z.string();

const UseReply = z.array(z.string()).length(9);

function parseUse(reply: unknown): CountersUse {
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
