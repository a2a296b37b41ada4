import { z } from 'zod';
import type { QuotaOwner } from '../caller/principal.ts';
import type { Breaker } from '../platform/breaker.ts';
import { newId } from '../platform/ids.ts';
import { readScript, runScript } from '../platform/redis-script.ts';
import type { RedisScript } from '../platform/redis-script.ts';
import type { RedisLink } from '../platform/redis.ts';
import { ownerTag } from './admission.ts';
import { ask } from './ask.ts';
import type { Away } from './ask.ts';
import { createBatches } from './batches.ts';
import type { Allowance, CountedCall } from './admission.ts';
import { writeAdmission } from './admission-text.ts';
import type { Answer, AskingCall, Seed } from './admission-text.ts';
import type { CallKind } from './schema.ts';

/** Where Redis keeps what it said of a call: the batch it was asked in, and its place, from 1. */
export interface Place {
  batch: string;
  at: number;
}

export interface Unanswered extends Away {
  place: Place;
}

export interface MonthTotal extends Seed {
  owner: Pick<QuotaOwner, 'kind' | 'id'>;
}

export interface WindowUse {
  used: number;
  resets_at: number;
}

export interface CountersUse {
  minute: WindowUse;
  hour: WindowUse;
  day: WindowUse;
  /** `used` is null when Redis does not have this month. */
  month: { name: string; used: number | null; resets_at: number };
}

/**
 * The counters in Redis. Each method is one script and one round trip, safe to repeat, and asked once
 * more when no answer comes.
 */
export interface Counters {
  /** The allowance follows from the owner's plan and the kind: a batch is asked with its first's. */
  admit(
    request: CountedCall,
    allowance: Allowance,
    seed: Seed | null,
  ): Promise<Answer | Unanswered>;
  /** The month a count was undone in, or null when there was none to undo. */
  release(
    request: Pick<CountedCall, 'owner' | 'kind'>,
    place: Place,
  ): Promise<{ reply: string | null } | Away>;
  raise(total: MonthTotal): Promise<{ reply: void } | Away>;
  use(owner: QuotaOwner, kind: CallKind): Promise<{ reply: CountersUse } | Away>;
}

export function createCounters(
  redis: RedisLink,
  breaker: Breaker,
  /** Only tests know it before. */
  newBatch: () => string = newId,
): Counters {
  const countersKey = (owner: Pick<QuotaOwner, 'kind' | 'id'>, kind: CallKind) =>
    `${redis.prefix}lim:${ownerTag(owner)}:${kind === 'content_read' ? 'reads' : 'calls'}`;
  const namesOf = rememberNames((owner, kind) => ({
    counters: countersKey(owner, kind),
    batches: `${redis.prefix}lim:${ownerTag(owner)}:batch:`,
    gathered: `${countersKey(owner, kind)} ${kind} ${owner.plan}`,
  }));
  const run = (script: RedisScript, keys: string[], values: string[]) =>
    runScript(redis.commands, script, keys, values);
  async function admitAll(batch: string, questions: readonly Question[]): Promise<Answer[]> {
    const { names, limits } = questions[0]!;
    const { text: asked, sessionKeys, read } = writeAdmission(limits, questions);
    const keys = [names.counters, batch, ...sessionKeys.map((key) => redis.prefix + key)];
    return read(Reply.parse(await run(scripts.admission, keys, [asked])));
  }
  const askInBatch = createBatches<Question, Answer | Unanswered>(async (questions) => {
    // New for each batch and the same when it is asked once more: by it Redis knows a call again.
    const batch = questions[0]!.names.batches + newBatch();
    const answer = await ask(breaker, () => admitAll(batch, questions));
    if ('reply' in answer) return answer.reply;
    return questions.map((_, index) => ({ ...answer, place: { batch, at: index + 1 } }));
  }, redis.flush);

  return {
    admit({ owner, kind, session }, allowance, seed) {
      const names = namesOf(owner, kind);
      return askInBatch(names.gathered, {
        names,
        limits: allowance,
        seed: seed ?? undefined,
        session,
      });
    },
    release: ({ owner, kind }, { batch, at }) =>
      ask(breaker, async () => {
        const keys = [countersKey(owner, kind), batch];
        const month = Reply.parse(await run(scripts.release, keys, [text(at)]));
        return month === '' ? null : month;
      }),
    raise: ({ owner, month, calls }) =>
      ask(breaker, async () => {
        await run(scripts.raise, [countersKey(owner, 'tool_call')], [month, text(calls)]);
      }),
    use: (owner, kind) =>
      ask(breaker, async () => readUse(await run(scripts.usage, [countersKey(owner, kind)], []))),
  };
}

interface Names {
  /** Key of the counters. */
  counters: string;
  /** What the keys of batches begin with. */
  batches: string;
  /** What is asked together: one batch has one set of limits. */
  gathered: string;
}

/** Written once for all calls that share an owner: those that one read of their key let in. */
function rememberNames(write: (owner: QuotaOwner, kind: CallKind) => Names) {
  const known = new WeakMap<QuotaOwner, Partial<Record<CallKind, Names>>>();
  return (owner: QuotaOwner, kind: CallKind): Names => {
    let names = known.get(owner);
    if (names === undefined) known.set(owner, (names = {}));
    return (names[kind] ??= write(owner, kind));
  };
}

interface Question extends AskingCall {
  names: Names;
  limits: Allowance;
}

const file = (name: string) => new URL(name, import.meta.url);
const calendar = file('calendar.lua');
const scripts = {
  admission: readScript(calendar, file('admission.lua')),
  release: readScript(calendar, file('release.lua')),
  raise: readScript(file('raise.lua')),
  usage: readScript(calendar, file('usage.lua')),
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

const text = (value: string | number | null | undefined) => String(value ?? '');
