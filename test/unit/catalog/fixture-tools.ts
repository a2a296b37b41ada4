import { z } from 'zod';
import { defineTool, PURE, type BuiltInTool } from '../../../src/catalog/tool.ts';
import { ToolFailure } from '../../../src/catalog/tool-failure.ts';

const hoard: number[][] = [];
const behaviors: Record<string, () => unknown> = {
  echo: () => 'echo',
  loop: () => {
    for (;;);
  },
  hoard: () => {
    for (;;) hoard.push(Array.from({ length: 100_000 }, () => Math.random()));
  },
  recurse: () => {
    const dig = (depth: number): number => dig(depth + 1) + 1;
    return dig(0);
  },
  fail: () => {
    throw new ToolFailure('out_of_range', 'No.', { because: 'tests' });
  },
  break: () => {
    throw new TypeError('a defect');
  },
  flood: () => 'x'.repeat(2_000_000),
  pid: () => process.pid,
  environment: () => Object.keys(process.env),
};

/** A tool whose behavior the test chooses; worker processes load this module by its URL. */
export const tools: BuiltInTool[] = [
  defineTool({
    id: '00000000-0000-4000-8000-000000000001',
    name: 'behave',
    title: 'Behave',
    description: 'Does what its arguments say.',
    input: z.strictObject({ behavior: z.string() }),
    output: z.object({ answer: z.unknown() }),
    annotations: PURE,
    timeout_ms: 1000,
    examples: [],
    compute: ({ behavior }) => ({ answer: behaviors[behavior]?.() }),
  }),
];
