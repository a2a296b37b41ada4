import { createComputers, type ComputersOptions } from '../../../src/catalog/computers.ts';
import type { ToolContext } from '../../../src/catalog/tool.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';

/** Creates a context with a fixed clock and a resolver that knows no names. */
export function createToolContext(computers: ComputersOptions = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    fairKey: 'one',
    now: () => new Date('2026-11-21T16:30:00Z'),
    outbound: createOutbound({ allow: [], resolve: async () => [] }),
    computers: createComputers(computers),
  };
}
