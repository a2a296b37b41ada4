import { z } from 'zod';
import type { Owner } from '../caller/caller.ts';
import type { Breaker } from '../platform/breaker.ts';
import { readScript, runScript } from '../platform/redis-script.ts';
import type { RedisScript } from '../platform/redis-script.ts';
import type { RedisLink } from '../platform/redis.ts';
import { ownerTag } from './admission.ts';
import { ask } from './ask.ts';
import type { Away } from './ask.ts';
import { createBatches } from './batches.ts';
import type { Admission, Allowance, CountedCall, SessionTouch } from './admission.ts';
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
  admit(request: CountedCall, allowance: Allowance, seed: Seed | null): Promise<Answer | Away>;
  /** The month a count was undone in, or null when there was none to undo. */
  release(
    request: Pick<CountedCall, 'owner' | 'kind' | 'call_id'>,
  ): Promise<{ reply: string | null } | Away>;
  raise(total: MonthTotal): Promise<{ reply: void } | Away>;
  use(owner: Owner, kind: CallKind): Promise<{ reply: CountersUse } | Away>;
}

export function createCounters(redis: RedisLink, breaker: Breaker): Counters {
  const countersKey = (owner: Pick<Owner, 'kind' | 'id'>, kind: CallKind) =>
    `${redis.prefix}lim:${ownerTag(owner)}:${kind === 'content_read' ? 'reads' : 'calls'}`;
  const callKey = (owner: Owner, callId: string) =>
    `${redis.prefix}lim:${ownerTag(owner)}:id:${callId}`;
  const run = (script: RedisScript, keys: string[], values: string[]) =>
    runScript(redis.commands, script, keys, values);
  async function admitAll(questions: readonly Question[]): Promise<Answer[]> {
    const { counters, limits } = questions[0]!;
    const keys = [counters, ...questions.flatMap((question) => question.keys)];
    const asked: Asked = { limits, calls: questions.map(({ call }) => call) };
    const reply = Reply.parse(await run(scripts.admission, keys, [JSON.stringify(asked)]));
    return AllAnswered.parse(JSON.parse(reply)).map(readAnswer);
  }
  const askInBatch = createBatches<Question, Answer | Away>(async (questions) => {
    const answer = await ask(breaker, () => admitAll(questions));
    return 'away' in answer ? questions.map(() => answer) : answer.reply;
  }, redis.flush);

  return {
    admit({ owner, kind, call_id, session }, allowance, seed) {
      const { minute, hour, day, month } = allowance;
      const counters = countersKey(owner, kind);
      const id = callKey(owner, call_id);
      // One batch has one set of limits: tool calls and system calls of an owner differ in theirs.
      return askInBatch(`${counters} ${minute} ${hour} ${day} ${month}`, {
        counters,
        limits: allowance,
        keys: [id, session ? redis.prefix + session.key : id],
        call: { seed: seed ?? undefined, session: session && touchOf(session) },
      });
    },
    release: ({ owner, kind, call_id }) =>
      ask(breaker, async () => {
        const keys = [countersKey(owner, kind), callKey(owner, call_id)];
        const month = Reply.parse(await run(scripts.release, keys, []));
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
  calls: {
    seed: Seed | undefined;
    session: { credential: string; version?: string; lifetime_seconds: number } | undefined;
  }[];
}

/** One call that asks; those of the same counters and limits go together. */
interface Question {
  counters: string;
  limits: Allowance;
  keys: [id: string, session: string];
  call: Asked['calls'][number];
}

const file = (name: string) => new URL(name, import.meta.url);
const calendar = file('calendar.lua');
const scripts = {
  admission: readScript(calendar, file('admission.lua')),
  release: readScript(calendar, file('release.lua')),
  raise: readScript(file('raise.lua')),
  usage: readScript(calendar, file('usage.lua')),
};

const touchOf = ({ credential, version, lifetime_seconds }: SessionTouch) => ({
  credential,
  ...(version ? { version } : null),
  lifetime_seconds,
});

const AnsweredSession = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('live'), version: z.string() }),
    z.object({ status: z.literal('gone') }),
    z.object({ status: z.literal('version_mismatch') }),
  ])
  .optional();
/** What the admission script says of one call; `month` is '' where it costs no quota. */
const Answered = z.discriminatedUnion('verdict', [
  z.object({ verdict: z.literal('admitted'), session: AnsweredSession, month: z.string() }),
  z.object({
    verdict: z.literal('refused'),
    session: AnsweredSession,
    window: z.enum(['minute', 'hour', 'day', 'month']),
    limit: z.number(),
    wait: z.number(),
  }),
  z.object({ verdict: z.literal('uncounted'), session: AnsweredSession }),
  z.object({ verdict: z.literal('unseeded'), session: AnsweredSession, month: z.string() }),
  z.object({ verdict: z.literal('released'), session: AnsweredSession }),
]);

const AllAnswered = Answered.array();
const Reply = z.string();

function readAnswer(answer: z.infer<typeof Answered>): Answer {
  const { verdict, session = null } = answer;
  if (verdict === 'unseeded') return { verdict, month: answer.month };
  if (verdict === 'released') return { verdict };
  if (verdict === 'uncounted') return decided({ session, admitted: false, window: null });
  if (verdict === 'admitted')
    return decided({ session, admitted: true, month: answer.month || null });
  const { window, limit, wait } = answer;
  return decided({ session, admitted: false, window, limit, retry_after_seconds: wait });
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
