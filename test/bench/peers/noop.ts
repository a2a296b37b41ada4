import { z } from 'zod';
import { defineTool } from '../../../src/catalog/tool.ts';
import type { BuiltInTool } from '../../../src/catalog/tool.ts';

export const NOOP_ANSWER = { ok: true };

/** Creates a tool that does nothing, so that only the gateway is measured. */
export const noopTool = (index: number): BuiltInTool =>
  defineTool({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    name: index === 0 ? 'noop' : `noop_${String(index).padStart(4, '0')}`,
    title: 'Nothing',
    description: 'Does nothing and says so. For measuring.',
    input: z.strictObject({ text: z.string().max(100).optional() }),
    output: z.strictObject({ ok: z.boolean() }),
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    timeout_ms: 1_000,
    examples: [],
    run: () => NOOP_ANSWER,
  });
