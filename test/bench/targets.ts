import type { Row } from './throughput.ts';

export interface Target {
  name: string;
  value: number;
  /** At most or at least this; ratios of one run, so that the machine's speed drops out. */
  limit: number;
  kind: 'at most' | 'at least';
}

export const isMet = ({ kind, value, limit }: Target): boolean =>
  kind === 'at most' ? value <= limit : value >= limit;

/** What is promised of throughput and CPU (docs/performance.md). */
export function throughputTargets(rows: readonly Row[]): Target[] {
  const row = (name: string) => {
    const found = rows.find((one) => one.name === name);
    if (!found) throw new Error(`no row ${name}`);
    return found;
  };
  const atMost = (name: string, value: number, limit: number): Target => ({
    name,
    value,
    limit,
    kind: 'at most',
  });
  const big = rows.find((one) => one.name === 'call 2026, big');
  const grown = big ? big.cpuMicros / row('call 2026').cpuMicros : null;
  return [
    ...(grown === null ? [] : [atMost('call with 10⁶ tuples / with few: CPU', grown, 1.1)]),
    ...eras(row, atMost),
  ];
}

function eras(
  row: (name: string) => Row,
  atMost: (name: string, value: number, limit: number) => Target,
): Target[] {
  return ['2026', '2025'].flatMap((era) => {
    const call = row(`call ${era}`);
    return [
      atMost(`call ${era}: CPU / floor with state`, call.cpuMicros / row('floor').cpuMicros, 1.5),
      atMost(`call ${era}: CPU / fastmcp`, call.cpuMicros / row('fastmcp').cpuMicros, 0.3),
      // Not to the bare POST, which the floor itself has a quarter of (docs/decisions/0021).
      {
        name: `call ${era}: throughput / floor with state`,
        value: call.perSecond / row('floor').perSecond,
        limit: 0.57,
        kind: 'at least',
      },
      atMost(
        `list 200 / list 1, ${era}: CPU`,
        row(`list 200 ${era}`).cpuMicros / row(`list 1 ${era}`).cpuMicros,
        3,
      ),
    ];
  });
}
