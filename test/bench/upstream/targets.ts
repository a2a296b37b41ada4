import { figure, ratio } from '../turns.ts';
import type { Figure, Row } from '../turns.ts';
import type { Target } from '../targets.ts';
import { SIZES } from './upstream.ts';

const MS = 1_000;

/** Targets for calls of other servers' tools (docs/performance.md). */
export function upstreamTargets(rows: readonly Row[]): Target[] {
  const row = (name: string) => rows.find((one) => one.name === name)!;
  const atMost = (name: string, value: number, limit: number): Target => ({
    ...{ name, value, limit, kind: 'at most' },
  });
  const beyond = (name: string, other: string, measured: Figure) =>
    figure(row(name), measured) - figure(row(other), measured);
  const calls = rows.map(({ name }) => name).filter((name) => /^202\d to [^,]+$/.test(name));
  const ofOne = calls.filter((name) => !name.endsWith('500'));
  return [
    ...calls.map((name) => atMost(`${name}: ms of CPU`, figure(row(name), 'cpuMicros') / MS, 0.35)),
    ...ofOne.map((name) =>
      atMost(`${name} / floor: CPU`, ratio(row(name), row('floor'), 'cpuMicros'), 2),
    ),
    ...ofOne.map((name) =>
      atMost(`${name}, alone: ms added`, beyond(`${name}, alone`, 'direct, alone', 'p50Ms'), 1),
    ),
    ...calls.map((name) =>
      atMost(
        `${name}: 99th percentile / median`,
        figure(row(name), 'p99Ms') / figure(row(name), 'p50Ms'),
        3,
      ),
    ),
    atMost(
      '500 upstreams / floor: CPU',
      ratio(row('2026 to 500'), row('floor to 500'), 'cpuMicros'),
      2,
    ),
    ...['2026 to 2026', '2025 to 2025-events'].flatMap((name) =>
      SIZES.map((kilobytes) => {
        const size = `${kilobytes} KB`;
        const value = ratio(row(`${name}, ${size}`), row(`floor, ${size}`), 'cpuMicros');
        return atMost(`${name}, ${size} / floor: CPU`, value, 2);
      }),
    ),
  ];
}
