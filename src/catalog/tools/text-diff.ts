import { z } from 'zod';
import { documentText } from '../documents.ts';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

const MAX_EDITS = 2000;

export const textDiff = defineTool({
  id: '5a9e964e-4a34-4109-9090-c7927d75518b',
  name: 'text_diff',
  title: 'Compare two texts line by line',
  description:
    'Returns a unified diff of two texts and the number of lines added and removed. Use it to see or ' +
    'report exactly what changed. Fails with too_different beyond 2000 changed lines. Example: ' +
    '{"before": "one\\ntwo\\n", "after": "one\\nthree\\n"}.',
  input: z.strictObject({
    before: documentText('The old text, at most 200,000 characters.'),
    after: documentText('The new text, at most 200,000 characters.'),
    context: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .describe('Unchanged lines of context around each change. Default 3.'),
    ignore_whitespace: z
      .boolean()
      .optional()
      .describe('Ignore white space at both ends of lines. Default false.'),
  }),
  output: z.object({
    equal: z.boolean(),
    added: z.int(),
    removed: z.int(),
    diff: z.string().describe('Unified diff; empty if equal.'),
  }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'One line changed',
      arguments: { before: 'one\ntwo\n', after: 'one\nthree\n' },
      result: {
        equal: false,
        added: 1,
        removed: 1,
        diff: '--- before\n+++ after\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n',
      },
    },
    {
      title: 'White space ignored',
      arguments: { before: '  one\n', after: 'one  \n', ignore_whitespace: true },
      result: { equal: true, added: 0, removed: 0, diff: '' },
    },
  ],
  async compute({ before, after, context = 3, ignore_whitespace = false }) {
    const { formatPatch, structuredPatch } = await import('diff');
    const patch = structuredPatch('before', 'after', before, after, undefined, undefined, {
      context,
      ignoreWhitespace: ignore_whitespace,
      maxEditLength: MAX_EDITS,
    });
    if (!patch)
      throw new ToolFailure('too_different', `The texts differ in more than ${MAX_EDITS} lines.`);
    const lines = patch.hunks.flatMap((hunk) => hunk.lines);
    const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
    const [added, removed] = [count('+'), count('-')];
    const equal = patch.hunks.length === 0;
    const diff = equal ? '' : formatPatch(patch).replace(/^=+\n/, '').replaceAll('\t\n', '\n');
    return { equal, added, removed, diff };
  },
});
