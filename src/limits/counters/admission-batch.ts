// The JSON sent to admission.lua for a batch of calls, and the JSON it returns.
import type { Admission, Allowance, SessionState, SessionTouch, Window } from '../admission.ts';

/** The calls of a month according to the ledger, for a counter that Redis may not have. */
export interface Seed {
  month: string;
  calls: number;
}

/** One call to be admitted. */
export interface AdmissionQuery {
  /** Key of its counters. */
  counters: string;
  limits: Allowance;
  seed: Seed | undefined;
  session: SessionTouch | undefined;
}

export type AdmissionResult =
  | { verdict: 'decided'; admission: Admission }
  | { verdict: 'unseeded'; month: string }
  /** Released before the admission arrived: the request already has a response. */
  | { verdict: 'released' };

/** A call as the script reads it; keys are 1-based indices of KEYS. */
interface BatchEntry {
  counters: number;
  limits: Allowance;
  seed?: Seed | undefined;
  session?: {
    key: number;
    credential: string;
    version?: string;
    lifetime_seconds: number;
  };
}

/** `month` is '' if the call costs no quota. */
type Verdict =
  | { verdict: 'admitted'; month: string }
  | { verdict: 'refused'; window: Window; limit: number; wait: number }
  | { verdict: 'uncounted' }
  | { verdict: 'unseeded'; month: string }
  | { verdict: 'released' };

/** The distinct answers and, for each call in order, the 1-based index of its answer. */
interface BatchReply {
  answers: { answer: Verdict; session?: SessionState }[];
  calls: number[];
}

/** Returns the script's keys after the batch's own key, and its argument. */
export function encodeBatch(prefix: string, questions: readonly AdmissionQuery[]) {
  const keys: string[] = [];
  // The first key is the batch.
  const addKey = (key: string) => keys.push(key) + 1;
  const entries = questions.map(({ counters, limits, seed, session }): BatchEntry => ({
    counters: addKey(counters),
    limits,
    seed,
    ...(session && { session: { key: addKey(prefix + session.key), ...touchOf(session) } }),
  }));
  return { keys, text: JSON.stringify(entries) };
}

const touchOf = ({ credential, version, lifetime_seconds }: SessionTouch) => ({
  credential,
  ...(version ? { version } : null),
  lifetime_seconds,
});

/** Returns the results in the order of the calls; throws a TypeError for an unknown verdict. */
export function decodeResults(reply: string): AdmissionResult[] {
  // The script is ours, so checking each call against a schema would be wasted.
  const { answers, calls } = JSON.parse(reply) as BatchReply;
  const distinct = answers.map(({ answer, session = null }) => resultOf(answer, session));
  return calls.map((index) => distinct[index - 1]!);
}

function resultOf(answer: Verdict, session: SessionState): AdmissionResult {
  const { verdict } = answer;
  switch (verdict) {
    case 'admitted':
      return decidedResult({ session, admitted: true, month: answer.month || null });
    case 'refused': {
      const { window, limit, wait } = answer;
      return decidedResult({ session, admitted: false, window, limit, retry_after_seconds: wait });
    }
    case 'uncounted':
      return decidedResult({ session, admitted: false, window: null });
    case 'unseeded':
      return { verdict, month: answer.month };
    case 'released':
      return { verdict };
  }
  throw new TypeError('The admission script returned an unexpected result.');
}

const decidedResult = (admission: Admission): AdmissionResult => ({
  verdict: 'decided',
  admission,
});
