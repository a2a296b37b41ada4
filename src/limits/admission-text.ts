// The JSON that calls asking together send to admission.lua, and the one it answers with. Calls that
// are alike are written once with their number: mostly all of them are.
import type { Admission, Allowance, SessionState, SessionTouch, Window } from './admission.ts';

/** What the ledger says of a month whose counter Redis does not have. */
export interface Seed {
  month: string;
  calls: number;
}

/** One call that asks; those of the same counters and limits go together. */
export interface AskingCall {
  seed: Seed | undefined;
  session: SessionTouch | undefined;
}

export type Answer =
  | { verdict: 'decided'; admission: Admission }
  | { verdict: 'unseeded'; month: string }
  /** Its release came first; whoever asked has already answered. */
  | { verdict: 'released' };

type Alike<T> = [times: number, T];

interface Asked {
  limits: Allowance;
  sessions: { credential: string; version?: string; lifetime_seconds: number }[];
  /** A session by its place among them, from 0: calls made together often share one. */
  calls: Alike<{ seed: Seed | undefined; session: number | undefined }>[];
}

/** `month` is '' where a call costs no quota. */
type Answered =
  | { verdict: 'admitted'; month: string }
  | { verdict: 'refused'; window: Window; limit: number; wait: number }
  | { verdict: 'uncounted' }
  | { verdict: 'unseeded'; month: string }
  | { verdict: 'released' };

interface Said {
  /** In the order asked, where any was. */
  sessions?: SessionState[];
  calls: Alike<Answered>[];
}

export interface AdmissionText {
  text: string;
  /** Keys of the sessions asked about, in their order. */
  sessionKeys: string[];
  /** The answers in the order of the calls; throws at one the script does not give. */
  read(reply: string): Answer[];
}

/** The limits are those of all its calls. */
export function writeAdmission(limits: Allowance, asking: readonly AskingCall[]): AdmissionText {
  const sessions: SessionTouch[] = [];
  const places = asking.map(({ session }) => session && placeOf(session, sessions));
  const calls: Asked['calls'] = [];
  for (const [index, { seed }] of asking.entries()) {
    const session = places[index];
    const last = calls.at(-1);
    if (last && last[1].seed === seed && last[1].session === session) last[0] += 1;
    else calls.push([1, { seed, session }]);
  }
  const asked: Asked = { limits, sessions: sessions.map(touchOf), calls };
  return {
    text: JSON.stringify(asked),
    sessionKeys: sessions.map(({ key }) => key),
    read(reply) {
      // The script is ours, so a schema would check each call for nothing.
      const said = JSON.parse(reply) as Said;
      const answers: Answer[] = [];
      for (const [times, answer] of said.calls)
        for (let time = 0; time < times; time += 1) {
          const place = places[answers.length];
          answers.push(answerOf(answer, place === undefined ? null : said.sessions?.[place]));
        }
      return answers;
    },
  };
}

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

/** One of its own for each call, which keeps what it learns there. */
function answerOf(answer: Answered, session: SessionState = null): Answer {
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
