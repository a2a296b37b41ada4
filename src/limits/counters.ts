import { z } from 'zod';
import type { Owner } from '../caller/caller.ts';
import { readScript, runScript } from '../platform/redis-script.ts';
import type { RedisScript } from '../platform/redis-script.ts';
import type { RedisLink } from '../platform/redis.ts';
import { ownerTag } from './admission.ts';
import { createBatches } from './batches.ts';
import type { Admission, Allowance, CountedCall, SessionState } from './admission.ts';
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

/** The counters in Redis; each method is one script and one round trip, and safe to repeat. */
export interface Counters {
  admit(request: CountedCall, allowance: Allowance, seed: Seed | null): Promise<Answer>;
  /** The month a count was undone in, or null when there was none to undo. */
  release(request: Pick<CountedCall, 'owner' | 'kind' | 'call_id'>): Promise<string | null>;
  raise(total: MonthTotal): Promise<void>;
  use(owner: Owner, kind: CallKind): Promise<CountersUse>;
}

export function createCounters(redis: RedisLink): Counters {
  const countersKey = (owner: Pick<Owner, 'kind' | 'id'>, kind: CallKind) =>
    `${redis.prefix}lim:${ownerTag(owner)}:${kind === 'content_read' ? 'reads' : 'calls'}`;
  const callKey = (owner: Owner, callId: string) =>
    `${redis.prefix}lim:${ownerTag(owner)}:id:${callId}`;
  const run = (script: RedisScript, keys: string[], values: string[]) =>
    runScript(redis.commands, script, keys, values);
  const ask = createBatches<Question, Answer>(async (key, questions) => {
    const keys = [key, ...questions.flatMap((question) => question.keys)];
    const values = questions.flatMap((question) => question.values);
    const replies = await run(scripts.admission, keys, values);
    return Replies.parse(replies).map(readAnswer);
  });

  return {
    admit({ owner, kind, call_id, session }, allowance, seed) {
      const { minute, hour, day, month } = allowance;
      const id = callKey(owner, call_id);
      return ask(countersKey(owner, kind), {
        keys: [id, session ? redis.prefix + session.key : id],
        values: [
          text(minute),
          text(hour),
          text(day),
          text(month),
          text(seed?.calls),
          text(seed?.month),
          text(session?.credential),
          text(session?.version),
          text(session?.lifetime_seconds),
        ],
      });
    },
    async release({ owner, kind, call_id }) {
      const keys = [countersKey(owner, kind), callKey(owner, call_id)];
      const month = z.string().parse(await run(scripts.release, keys, []));
      return month === '' ? null : month;
    },
    async raise({ owner, month, calls }) {
      await run(scripts.raise, [countersKey(owner, 'tool_call')], [month, text(calls)]);
    },
    async use(owner, kind) {
      return readUse(await run(scripts.usage, [countersKey(owner, kind)], []));
    },
  };
}

/** One call's part of the script's keys and values. */
interface Question {
  keys: [id: string, session: string];
  values: string[];
}

const file = (name: string) => new URL(name, import.meta.url);
const calendar = file('calendar.lua');
const scripts = {
  admission: readScript(calendar, file('admission.lua')),
  release: readScript(calendar, file('release.lua')),
  raise: readScript(file('raise.lua')),
  usage: readScript(calendar, file('usage.lua')),
};

const Reply = z.tuple([
  z.enum(['', 'live', 'gone', 'version_mismatch']),
  z.string(),
  z.enum(['admitted', 'refused', 'unseeded', 'released', 'uncounted']),
  z.enum(['', 'minute', 'hour', 'day', 'month']),
  z.string(),
  z.string(),
  z.string(),
]);

const Replies = z.array(Reply);

function readAnswer(reply: z.infer<typeof Reply>): Answer {
  const [status, version, verdict, window, limit, wait, month] = reply;
  if (verdict === 'unseeded') return { verdict, month };
  if (verdict === 'released') return { verdict };
  const session = readSession(status, version);
  if (verdict === 'admitted')
    return decided({ session, admitted: true, month: month === '' ? null : month });
  if (verdict === 'uncounted' || window === '')
    return decided({ session, admitted: false, window: null });
  const numbers = { limit: Number(limit), retry_after_seconds: Number(wait) };
  return decided({ session, admitted: false, window, ...numbers });
}

const decided = (admission: Admission): Answer => ({ verdict: 'decided', admission });

function readSession(status: z.infer<typeof Reply>[0], version: string): SessionState {
  if (status === '') return null;
  return status === 'live' ? { status, version } : { status };
}

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
