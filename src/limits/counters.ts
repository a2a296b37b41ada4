import { z } from 'zod';
import type { Owner } from '../caller/caller.ts';
import type { Breaker } from '../platform/breaker.ts';
import { newId } from '../platform/ids.ts';
import { readScript, runScript } from '../platform/redis-script.ts';
import type { RedisScript } from '../platform/redis-script.ts';
import type { RedisLink } from '../platform/redis.ts';
import { ownerTag } from './admission.ts';
import { ask } from './ask.ts';
import type { Away } from './ask.ts';
import { createBatches } from './batches.ts';
import type {
  Admission,
  Allowance,
  CountedCall,
  SessionState,
  SessionTouch,
  Window,
} from './admission.ts';
import type { CallKind } from './schema.ts';

/** What the ledger says of a month whose counter Redis does not have. */
export interface Seed {
  month: string;
  calls: number;
}

export type Answer =
  | { verdict: 'decided'; admission: Admission }
  | { verdict: 'unseeded'; month: string }
  /** Its release came first; whoever asked has already answered. */
  | { verdict: 'released' };

/** Where Redis keeps what it said of a call: the batch it was asked in, and its place, from 1. */
export interface Place {
  batch: string;
  at: number;
}

export interface Unanswered extends Away {
  place: Place;
}

export interface MonthTotal extends Seed {
  owner: Pick<Owner, 'kind' | 'id'>;
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
  use(owner: Owner, kind: CallKind): Promise<{ reply: CountersUse } | Away>;
}

export function createCounters(
  redis: RedisLink,
  breaker: Breaker,
  /** Only tests know it before. */
  newBatch: () => string = newId,
): Counters {
  const countersKey = (owner: Pick<Owner, 'kind' | 'id'>, kind: CallKind) =>
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
    const sessions: SessionTouch[] = [];
    const calls = questions.map(({ seed, session }) => ({
      seed,
      session: session && placeOf(session, sessions),
    }));
    const asked: Asked = { limits, calls, sessions: sessions.map(touchOf) };
    const keys = [names.counters, batch, ...sessions.map(({ key }) => redis.prefix + key)];
    const reply = Reply.parse(await run(scripts.admission, keys, [JSON.stringify(asked)]));
    const said = JSON.parse(reply) as Said;
    return said.calls.map((call, at) => {
      const place = calls[at]?.session;
      return readAnswer(call, place === undefined ? null : said.sessions?.[place]);
    });
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

/** What the admission script reads: the limits are those of all its calls. */
interface Asked {
  limits: Allowance;
  sessions: { credential: string; version?: string; lifetime_seconds: number }[];
  calls: {
    seed: Seed | undefined;
    /** Its place among the sessions, from 0: calls that are made together often share one. */
    session: number | undefined;
  }[];
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
function rememberNames(write: (owner: Owner, kind: CallKind) => Names) {
  const known = new WeakMap<Owner, Partial<Record<CallKind, Names>>>();
  return (owner: Owner, kind: CallKind): Names => {
    let names = known.get(owner);
    if (names === undefined) known.set(owner, (names = {}));
    return (names[kind] ??= write(owner, kind));
  };
}

/** One call that asks; those of the same counters and limits go together. */
interface Question {
  names: Names;
  limits: Allowance;
  seed: Seed | undefined;
  session: SessionTouch | undefined;
}

const file = (name: string) => new URL(name, import.meta.url);
const calendar = file('calendar.lua');
const scripts = {
  admission: readScript(calendar, file('admission.lua')),
  release: readScript(calendar, file('release.lua')),
  raise: readScript(file('raise.lua')),
  usage: readScript(calendar, file('usage.lua')),
};

/** Adds a session that is not there yet. */
function placeOf(touch: SessionTouch, sessions: SessionTouch[]): number {
  const { key, credential, version } = touch;
  const place = sessions.findIndex(
    (other) => other.key === key && other.credential === credential && other.version === version,
  );
  return place < 0 ? sessions.push(touch) - 1 : place;
}

const touchOf = ({ credential, version, lifetime_seconds }: SessionTouch) => ({
  credential,
  ...(version ? { version } : null),
  lifetime_seconds,
});

/**
 * What the admission script says; `month` is '' where a call costs no quota. The script is ours,
 * so a schema would check each call for nothing: an answer it does not give throws.
 */
interface Said {
  /** In the order asked, where any was. */
  sessions?: SessionState[];
  calls: Answered[];
}
type Answered =
  | { verdict: 'admitted'; month: string }
  | { verdict: 'refused'; window: Window; limit: number; wait: number }
  | { verdict: 'uncounted' }
  | { verdict: 'unseeded'; month: string }
  | { verdict: 'released' };

const Reply = z.string();

function readAnswer(answer: Answered, session: SessionState = null): Answer {
  const { verdict } = answer;
  switch (verdict) {
    case 'admitted':
      return decided({ session, admitted: true, month: answer.month || null });
    case 'refused': {
      const { window, limit, wait } = answer;
      return decided({ session, admitted: false, window, limit, retry_after_seconds: wait });
    }
    case 'uncounted':
      return decided({ session, admitted: false, window: null });
    case 'unseeded':
      return { verdict, month: answer.month };
    case 'released':
      return { verdict };
  }
  throw new TypeError('The admission script gave an answer that is none of its own.');
}

const decided = (admission: Admission): Answer => ({ verdict: 'decided', admission });

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
