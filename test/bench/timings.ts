import { median } from './turns.ts';

/** An operation that is timed alone, one at a time. */
export interface Operation {
  name: string;
  /** Runs before each execution, untimed. */
  before?(): Promise<unknown>;
  run(round: number): Promise<unknown>;
}

/** The milliseconds that an operation took in each round. */
export interface Timing {
  name: string;
  ms: readonly number[];
}

const WARM_ROUNDS = 5;

/**
 * Times operations in alternating rounds, since background load affects all operations of a round
 * alike. The first rounds are not counted.
 */
export async function timeInTurns(
  operations: readonly Operation[],
  rounds: number,
  warmRounds = WARM_ROUNDS,
): Promise<Timing[]> {
  const timed = operations.map((operation) => ({ operation, ms: [] as number[] }));
  for (let round = 0; round < warmRounds + rounds; round += 1)
    // Alternates the order, so that no operation always runs after the same one.
    for (const { operation, ms } of round % 2 === 0 ? timed : timed.toReversed()) {
      await operation.before?.();
      const began = performance.now();
      await operation.run(round);
      if (round >= warmRounds) ms.push(performance.now() - began);
    }
  return timed.map(({ operation, ms }) => ({ name: operation.name, ms }));
}

/** Returns the median of the ratios within each round. */
export const timeRatio = (timing: Timing, other: Timing): number =>
  median(timing.ms.map((ms, round) => ms / other.ms[round]!));

/** Returns the median, over the rounds, of what a timing takes beyond the sum of the others. */
export const timeBeyond = (timing: Timing, others: readonly Timing[]): number =>
  median(timing.ms.map((ms, round) => others.reduce((left, other) => left - other.ms[round]!, ms)));

export function printTimings(timings: readonly Timing[]): void {
  console.log(`\n${''.padEnd(48)}    p50 ms    p95 ms`);
  for (const { name, ms } of timings) {
    const sorted = ms.toSorted((one, other) => one - other);
    const percentile = (share: number) => sorted[Math.floor(share * sorted.length)]!.toFixed(2);
    console.log(name.padEnd(48) + percentile(0.5).padStart(10) + percentile(0.95).padStart(10));
  }
}
