import { z } from 'zod';
import { documentText, parseJson } from '../documents.ts';
import { defineTool, PURE } from '../tool.ts';

export const jsonDiff = defineTool({
  id: 'e6011aa0-d1ca-4694-9c37-4f3427b916e6',
  name: 'json_diff',
  title: 'Compare two JSON documents',
  description:
    'Returns the changes between two JSON documents as a JSON Patch (RFC 6902) that turns `before` ' +
    'into `after`: add, remove and replace operations with JSON Pointers. Key order and ' +
    'white space are ignored; elements inserted into arrays are detected. Example: {"before": ' +
    '"{\\"a\\": 1}", "after": "{\\"a\\": 2}"}.',
  input: z.strictObject({
    before: documentText('The old JSON document as text, at most 200,000 characters.'),
    after: documentText('The new JSON document as text, at most 200,000 characters.'),
  }),
  output: z.object({
    equal: z.boolean(),
    patch: z.array(
      z.object({
        op: z.enum(['add', 'remove', 'replace']),
        path: z.string(),
        value: z.unknown().optional(),
      }),
    ),
  }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'A changed, an added and a removed key',
      arguments: { before: '{"a": 1, "b": 2}', after: '{"c": 3, "a": 4}' },
      result: {
        equal: false,
        patch: [
          { op: 'remove', path: '/b' },
          { op: 'add', path: '/c', value: 3 },
          { op: 'replace', path: '/a', value: 4 },
        ],
      },
    },
    {
      title: 'An element inserted into an array',
      arguments: { before: '[1, 2, 3]', after: '[1, 9, 2, 3]' },
      result: { equal: false, patch: [{ op: 'add', path: '/1', value: 9 }] },
    },
    {
      title: 'Equal documents, formatted differently',
      arguments: { before: '{"a":1,"b":[]}', after: '{ "b": [], "a": 1.0 }' },
      result: { equal: true, patch: [] },
    },
    { title: 'Not JSON', arguments: { before: '{}', after: 'nope' }, error: 'invalid_json' },
  ],
  async compute({ before, after }) {
    const { compareJson } = await import('../compare-json.ts');
    const patch = compareJson(parseJson(before, 'before'), parseJson(after, 'after'));
    return { equal: patch.length === 0, patch };
  },
});
