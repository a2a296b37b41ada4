/** What two kinds of requests differ by, in milliseconds. */
export interface TimeDifference {
  pairs: number;
  /** Median of the first kind's times. */
  usual: number;
  /** Median of (second − first) over pairs asked one after the other. */
  median: number;
  /** Between these the median lies, 998 of 1000 times. */
  low: number;
  high: number;
}

export interface Comparing {
  /** Runs before each, off the clock. */
  prepare?: () => Promise<void>;
  /** Stops here, however unsure it still is. */
  seconds?: number;
}

type Work = () => Promise<unknown>;

const WARM_UP = 30;
const BATCH = 200;
const MOST = 4_000;
const RESAMPLES = 2_000;
const TAIL = 0.001;

/**
 * Times pairs of two kinds of work, one after the other in random order, so that a load that comes
 * and goes falls on both alike; until it is sure that they are apart or that they are not.
 */
export async function compareTimes(
  [first, second]: readonly [Work, Work],
  { prepare = async () => {}, seconds = 10 }: Comparing = {},
): Promise<TimeDifference> {
  const time = async (work: Work): Promise<number> => {
    await prepare();
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  const timePair = async (): Promise<[first: number, second: number]> => {
    if (Math.random() < 0.5) return [await time(first), await time(second)];
    const late = await time(second);
    return [await time(first), late];
  };

  for (let round = 0; round < WARM_UP; round += 1) await timePair();
  const pairs: [number, number][] = [];
  for (const until = performance.now() + seconds * 1_000; ;) {
    for (let round = 0; round < BATCH && performance.now() < until; round += 1)
      pairs.push(await timePair());
    const difference = describe(pairs);
    const isOver = performance.now() >= until || pairs.length >= MOST;
    if (isOver || isTellable(difference) || isAlike(difference)) return difference;
  }
}

/** Beyond doubt more than 0.2 ms and 2 % apart (S17): the whole interval lies outside. */
export const isTellable = (difference: TimeDifference): boolean =>
  difference.low > limitOf(difference) || difference.high < -limitOf(difference);

const isAlike = (difference: TimeDifference): boolean =>
  difference.low > -limitOf(difference) && difference.high < limitOf(difference);

const limitOf = ({ usual }: TimeDifference) => Math.max(0.2, usual * 0.02);

function describe(pairs: readonly [number, number][]): TimeDifference {
  const differences = pairs.map(([first, second]) => second - first);
  const medians = Array.from({ length: RESAMPLES }, () => median(resample(differences)));
  return {
    pairs: pairs.length,
    usual: median(pairs.map(([first]) => first)),
    median: median(differences),
    low: quantile(medians, TAIL),
    high: quantile(medians, 1 - TAIL),
  };
}

const resample = (values: readonly number[]) =>
  values.map(() => values[Math.floor(Math.random() * values.length)]!);

const median = (values: readonly number[]) => quantile(values, 0.5);

function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
