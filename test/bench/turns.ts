import { setTimeout } from 'node:timers/promises';
import { runLoad, Unavailable } from './load.ts';
import type { Chains, Load, LoadResult } from './load.ts';
import type { PeerProcess } from './process.ts';

/** One kind of request to one server. */
export interface Contender<Sent extends Load | Chains = Load | Chains> {
  name: string;
  peer: PeerProcess;
  load: Sent;
  expecting: string;
  /** 32 by default. */
  connections?: number;
}

interface Measured extends LoadResult {
  /** CPU time of the server's process per request. */
  cpuMicros: number;
  /** Earlier attempts of this round that ended with a 503. */
  repeats: number;
}

/** Measurements of one contender by round; figures are medians over the rounds. */
export interface Row {
  name: string;
  rounds: readonly Measured[];
}
export type Figure = 'perSecond' | 'cpuMicros' | 'p50Ms' | 'p99Ms';

export interface Turns {
  rounds: number;
  /** Maximum number of warm-up rounds. */
  warmRounds: number;
}
export const FULL: Turns = { rounds: 9, warmRounds: 12 };
/** For a quick look during development. */
export const SHORT: Turns = { rounds: 5, warmRounds: 4 };

export const CONNECTIONS = 32;
const WARM_SECONDS = 3;
// Warm-up ends after this many rounds without improvement.
const SETTLED_ROUNDS = 3;
const SECONDS = 1.5;
// Waits for work after the response, such as the ledger, so that it counts as part of the cost.
const AFTERWARDS_MS = 600;
const MAX_REPEATS = 20;

/**
 * Measures all contenders in alternating rounds: background load varies over minutes, but affects
 * all contenders of a round alike.
 */
export async function measureInTurns(
  contenders: readonly Contender[],
  { rounds, warmRounds }: Turns,
): Promise<Row[]> {
  for (const contender of contenders) await warm(contender, warmRounds);
  const measured = contenders.map((contender) => ({ contender, rounds: [] as Measured[] }));
  for (let round = 0; round < rounds; round += 1)
    // Alternates the order, so that no contender always runs after the same one.
    for (const one of round % 2 === 0 ? measured : measured.toReversed())
      one.rounds.push(await measure(one.contender, SECONDS));
  return measured.map((one) => ({ name: one.contender.name, rounds: one.rounds }));
}

/**
 * Warms up until the JIT has settled; until then, the first contender looks 50 % more expensive.
 */
async function warm(contender: Contender, atMost: number): Promise<void> {
  let best = Infinity;
  let settled = 0;
  for (let round = 0; round < atMost && settled < SETTLED_ROUNDS; round += 1) {
    const { cpuMicros } = await measure(contender, WARM_SECONDS);
    settled = cpuMicros < best ? 0 : settled + 1;
    best = Math.min(best, cpuMicros);
  }
}

/**
 * Measures one round. A round with a 503 is repeated, since another process may have stalled the
 * machine past a deadline; `repeats` counts this, and the bench's target is zero.
 */
async function measure(contender: Contender, seconds: number, repeats = 0): Promise<Measured> {
  const { peer, load, expecting, connections = CONNECTIONS } = contender;
  const before = peer.cpuMicros();
  let result: LoadResult;
  try {
    result = await runLoad(load, { connections, seconds, expecting });
  } catch (error) {
    if (!(error instanceof Unavailable) || repeats === MAX_REPEATS) throw error;
    await setTimeout(2_000);
    return measure(contender, seconds, repeats + 1);
  }
  await setTimeout(AFTERWARDS_MS);
  return { ...result, cpuMicros: (peer.cpuMicros() - before) / result.requests, repeats };
}

export const figure = ({ rounds }: Row, name: Figure): number =>
  median(rounds.map((round) => round[name]));

/** Returns the median of the ratios within each round. */
export const ratio = (row: Row, other: Row, name: Figure): number =>
  median(row.rounds.map((round, index) => round[name] / other.rounds[index]![name]));

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

export function printRows(rows: readonly Row[]): void {
  console.log(`\n${''.padEnd(28)}   req/s   CPU µs/req    p50 ms    p99 ms`);
  for (const row of rows)
    console.log(
      row.name.padEnd(28) +
        figure(row, 'perSecond').toFixed(0).padStart(8) +
        figure(row, 'cpuMicros').toFixed(1).padStart(13) +
        figure(row, 'p50Ms').toFixed(2).padStart(10) +
        figure(row, 'p99Ms').toFixed(2).padStart(10),
    );
}
