import { createWorkerPool, type WorkerPoolOptions } from '../../../src/catalog/worker-pool.ts';
import type { ToolContext } from '../../../src/catalog/tool.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';

/** Creates a context with a fixed clock and a resolver that knows no names. */
export function createToolContext(workers: WorkerPoolOptions = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    fairnessKey: 'one',
    person: null,
    requirePermitted: async () => {},
    now: () => new Date('2026-11-21T16:30:00Z'),
    outbound: createOutbound({ allow: [], resolve: async () => [] }),
    workers: createWorkerPool(workers),
  };
}
