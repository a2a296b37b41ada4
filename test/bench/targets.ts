import { ratio } from './turns.ts';
import type { Row } from './turns.ts';

export interface Target {
  name: string;
  value: number;
  /**
   * An upper or lower limit; values are ratios within a run where possible, independent of the
   * machine.
   */
  limit: number;
  kind: 'at most' | 'at least';
}

export const isMet = ({ kind, value, limit }: Target): boolean =>
  kind === 'at most' ? value <= limit : value >= limit;

/** Targets for throughput and CPU (docs/performance.md); in short mode, for the calls only. */
export function throughputTargets(rows: readonly Row[]): Target[] {
  const row = (name: string) => {
    const found = rows.find((one) => one.name === name);
    if (!found) throw new Error(`no row ${name}`);
    return found;
  };
  const atMost = (name: string, compared: [string, string], limit: number): Target => ({
    name: `${name}: CPU`,
    value: ratio(row(compared[0]), row(compared[1]), 'cpuMicros'),
    limit,
    kind: 'at most',
  });
  const throughput = (name: string, compared: [string, string], limit: number): Target => ({
    name: `${name}: throughput`,
    value: ratio(row(compared[0]), row(compared[1]), 'perSecond'),
    limit,
    kind: 'at least',
  });
  const callTargets = ['owners', 'shared'].flatMap((load) =>
    ['2026', '2025'].flatMap((era) => {
      const name = `call ${era}, ${load} / floor with state`;
      const compared: [string, string] = [`call ${era} ${load}`, `floor ${load}`];
      return [atMost(name, compared, 1.5), throughput(name, compared, 0.75)];
    }),
  );
  const repeats: Target = {
    name: 'rounds repeated after a 503',
    value: rows.flatMap(({ rounds }) => rounds).reduce((sum, round) => sum + round.repeats, 0),
    limit: 0,
    kind: 'at most',
  };
  if (!rows.some(({ name }) => name === 'fastmcp')) return [...callTargets, repeats];
  const otherTargets = ['2026', '2025'].flatMap((era) => [
    atMost(`call ${era} / fastmcp`, [`call ${era} owners`, 'fastmcp'], 0.3),
    atMost(`list 200 / list 1, ${era}`, [`list 200 ${era}`, `list 1 ${era}`], 3),
  ]);
  return [...callTargets, ...otherTargets, repeats];
}

/** Target for the cost that other tenants' data adds to a warm call. */
export const bigStoreTarget = (few: Row, many: Row): Target => ({
  name: 'call with 10⁶ tuples / with few: CPU',
  value: ratio(many, few, 'cpuMicros'),
  limit: 1.1,
  kind: 'at most',
});

export function printTargets(targets: readonly Target[]): void {
  console.log('');
  for (const target of targets)
    console.log(
      `${isMet(target) ? 'met ' : 'MISS'}  ${target.name.padEnd(48)}` +
        `${target.value.toFixed(2).padStart(8)}  ${target.kind} ${target.limit}`,
    );
}
