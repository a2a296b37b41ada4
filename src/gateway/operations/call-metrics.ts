import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { ObservedCall } from '../../mcp/mcp.ts';

/** Origins whose item names we define: they are few and do not reveal anything about users. */
const OWN_ORIGINS = new Set(['builtin', 'system', 'platform']);

/** Counts calls by tool and outcome, and refusals by the check that made them. */
export function createCallMetrics(registry: Registry) {
  const calls = new Histogram({
    name: 'toolgate_call_seconds',
    help: 'Duration of admitted calls in seconds, by tool (`custom` for custom tools) and outcome',
    labelNames: ['tool', 'kind', 'outcome'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  });
  const refused = new Counter({
    name: 'toolgate_calls_refused_total',
    help: 'Calls rejected before execution, by the layer that rejected them',
    labelNames: ['kind', 'layer'],
    registers: [registry],
  });
  const seriesByName = new Map<string, ReturnType<typeof calls.labels>>();

  /** Every label has few values: client input is never used as a label value. */
  return function observeCall({ kind, item, outcome, layer, seconds }: ObservedCall): void {
    if (outcome === 'refused') return refused.inc({ kind, layer });
    const tool = item !== null && OWN_ORIGINS.has(item.origin) ? item.name : 'custom';
    const name = `${kind} ${outcome} ${tool}`;
    let series = seriesByName.get(name);
    if (series === undefined) {
      series = calls.labels({ tool, kind, outcome });
      seriesByName.set(name, series);
    }
    series.observe(seconds);
  };
}
