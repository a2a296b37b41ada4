import { createHash } from 'node:crypto';
import type { BuiltInTool, JsonSchema } from '../../../src/catalog/tool.ts';
import type { Call } from '../../../src/mcp/protocol/call.ts';
import { runningCall } from './running-call.ts';

type Input = Readonly<Record<string, unknown>>;

export interface FixtureDefinition {
  description: string;
  input_schema?: JsonSchema;
  /** Returns the entire result of the call. */
  answer(input: Input, call: Call): object | Promise<object>;
}

/**
 * Turns a tool of the suite into a catalog item: selected, authorized and admitted like any other.
 */
export function fixtureTool(name: string, definition: FixtureDefinition): BuiltInTool {
  return {
    id: idOf(name),
    name,
    title: name,
    description: definition.description,
    input_schema: definition.input_schema ?? { type: 'object', properties: {} },
    // The suite's tools declare no output schema; the catalog's tools always do.
    output_schema: null as unknown as JsonSchema,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    timeout_ms: 60_000,
    examples: [],
    compute: null,
    async run(input) {
      const running = runningCall();
      running.result = await definition.answer(input as Input, running.call);
      return {};
    },
  };
}

/** Derives the id from the name, so that it is the same on every instance and in every run. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

export const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

export { setTimeout as pause } from 'node:timers/promises';
