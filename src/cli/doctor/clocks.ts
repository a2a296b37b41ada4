import { ok, Skipped, warning } from './finding.ts';
import type { Result } from './finding.ts';

const TOLERANCE_MS = 2_000;

/** Reads a clock, as milliseconds since 1970; throws if its server is not reachable. */
export type ReadClock = () => Promise<number>;

/** Compares clocks with that of this machine; those of unreachable servers are left out. */
export async function clockResult(clocks: Readonly<Record<string, ReadClock>>): Promise<Result> {
  const read = await Promise.all(
    Object.entries(clocks).map(async ([name, clock]) => ({
      name,
      ahead: await aheadOf(clock).catch(() => null),
    })),
  );
  const known = read.flatMap(({ name, ahead }) => (ahead === null ? [] : [{ name, ahead }]));
  if (known.length === 0) throw new Skipped('no server is reachable.');
  const wrong = known.filter(({ ahead }) => Math.abs(ahead) > TOLERANCE_MS);
  if (wrong.length === 0)
    return ok(`The clocks of ${known.map(({ name }) => name).join(', ')} and this machine agree.`);
  return warning(
    wrong.map(({ name, ahead }) => `The clock of ${name} is ${describe(ahead)}.`).join(' '),
    'Synchronize the clocks of all machines with NTP.',
  );
}

/** Returns how many milliseconds a clock is ahead, taking half of the round trip into account. */
async function aheadOf(clock: ReadClock): Promise<number> {
  const before = Date.now();
  const time = await clock();
  return time - (before + Date.now()) / 2;
}

const describe = (ahead: number) =>
  `${Math.round(Math.abs(ahead) / 1_000)} s ${ahead > 0 ? 'ahead' : 'behind'}`;
