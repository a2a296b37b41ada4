import { setTimeout } from 'node:timers/promises';
import { runLoad, Unavailable } from './load.ts';
import type { Load, LoadResult } from './load.ts';
import type { PeerProcess } from './process.ts';

/** One kind of request to one server. */
export interface Contender {
  name: string;
  peer: PeerProcess;
  load: Load;
  expecting: string;
}

interface Measured extends LoadResult {
  /** CPU of the server's process, a request. */
  cpuMicros: number;
}

/** What each round measured of one contender; figures are medians of the rounds. */
export interface Row {
  name: string;
  rounds: readonly Measured[];
}
export type Figure = 'perSecond' | 'cpuMicros' | 'p50Ms' | 'p99Ms';

export interface Turns {
  rounds: number;
  /** Each is warmed for at most so many rounds. */
  warmRounds: number;
}
export const FULL: Turns = { rounds: 9, warmRounds: 12 };
/** To look at a change while it is made. */
export const SHORT: Turns = { rounds: 5, warmRounds: 4 };

const CONNECTIONS = 32;
const WARM_SECONDS = 3;
// As many rounds running that bring nothing better.
const SETTLED_ROUNDS = 3;
const SECONDS = 1.5;
// Work that a request leaves behind (the ledger) is the request's too.
const AFTERWARDS_MS = 600;
const MAX_ATTEMPTS = 20;

/**
 * Measures each in turn, again and again: a machine is never equally quiet for minutes, and what
 * disturbs a round disturbs all of it.
 */
export async function measureInTurns(
  contenders: readonly Contender[],
  { rounds, warmRounds }: Turns,
): Promise<Row[]> {
  for (const contender of contenders) await warm(contender, warmRounds);
  const measured = contenders.map((contender) => ({ contender, rounds: [] as Measured[] }));
  for (let round = 0; round < rounds; round += 1)
    // There and back: nobody is always the one after somebody.
    for (const one of round % 2 === 0 ? measured : measured.toReversed())
      one.rounds.push(await measure(one.contender, SECONDS));
  return measured.map((one) => ({ name: one.contender.name, rounds: one.rounds }));
}

/** Until the compiler has settled: before that, whoever is measured first looks half as dear again. */
async function warm(contender: Contender, atMost: number): Promise<void> {
  let best = Infinity;
  let settled = 0;
  for (let round = 0; round < atMost && settled < SETTLED_ROUNDS; round += 1) {
    const { cpuMicros } = await measure(contender, WARM_SECONDS);
    settled = cpuMicros < best ? 0 : settled + 1;
    best = Math.min(best, cpuMicros);
  }
}

/** A round in which somebody else took the machine for so long that a deadline passed is repeated. */
async function measure(contender: Contender, seconds: number, attempt = 1): Promise<Measured> {
  const { peer, load, expecting } = contender;
  const before = peer.cpuMicros();
  let result: LoadResult;
  try {
    result = await runLoad(load, { connections: CONNECTIONS, seconds, expecting });
  } catch (error) {
    if (!(error instanceof Unavailable) || attempt === MAX_ATTEMPTS) throw error;
    await setTimeout(2_000);
    return measure(contender, seconds, attempt + 1);
  }
  await setTimeout(AFTERWARDS_MS);
  return { ...result, cpuMicros: (peer.cpuMicros() - before) / result.requests };
}

export const figure = ({ rounds }: Row, name: Figure): number =>
  median(rounds.map((round) => round[name]));

/** Of the two in the same round. */
export const ratio = (row: Row, other: Row, name: Figure): number =>
  median(row.rounds.map((round, at) => round[name] / other.rounds[at]![name]));

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
