import { z } from 'zod';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

const NAMESPACES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    dns: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    url: '6ba7b811-9dad-11d1-80b4-00c04fd430c8',
    oid: '6ba7b812-9dad-11d1-80b4-00c04fd430c8',
    x500: '6ba7b814-9dad-11d1-80b4-00c04fd430c8',
  }),
);

export const uuid = defineTool({
  id: 'aa54e767-50b3-4289-b899-0382ab7d2baf',
  name: 'uuid',
  title: 'Generate UUIDs',
  description:
    'Generates UUIDs (RFC 9562): v4 random, v7 ordered by time, v5 computed from a namespace and ' +
    'a name (the same two always give the same id). Use it whenever you need a unique id: invented ' +
    'ones are not random. Example: {"version": "v7", "count": 3}.',
  input: z.strictObject({
    version: z.enum(['v4', 'v5', 'v7']).optional().describe('Default v4.'),
    count: z.int().min(1).max(100).optional().describe('Number of ids, for v4 and v7. Default 1.'),
    namespace: z.string().max(36).optional().describe('For v5: dns, url, oid, x500 or any UUID.'),
    name: z.string().max(10_000).optional().describe('For v5: the name inside the namespace.'),
  }),
  output: z.object({ uuids: z.array(z.string()) }),
  annotations: { ...PURE, idempotentHint: false },
  timeout_ms: 1000,
  examples: [
    { title: 'Three ids that sort by time', arguments: { version: 'v7', count: 3 } },
    {
      title: 'The same name gives the same id',
      arguments: { version: 'v5', namespace: 'dns', name: 'example.com' },
      result: { uuids: ['cfbff0d1-9375-5685-968c-48ce8b15ae17'] },
    },
    {
      title: 'v5 requires a namespace and a name',
      arguments: { version: 'v5', name: 'example.com' },
      error: 'argument_missing',
    },
  ],
  async run({ version = 'v4', count = 1, namespace, name }) {
    const { v4, v5, v7, validate } = await import('uuid');
    if (version !== 'v5') {
      const generate = version === 'v4' ? v4 : v7;
      return { uuids: Array.from({ length: count }, () => generate()) };
    }
    if (namespace === undefined || name === undefined)
      throw new ToolFailure('argument_missing', 'v5 requires `namespace` and `name`.');
    const known = NAMESPACES.get(namespace.toLowerCase()) ?? namespace;
    if (!validate(known))
      throw new ToolFailure(
        'invalid_namespace',
        '`namespace` must be dns, url, oid, x500 or a UUID.',
      );
    return { uuids: [v5(name, known)] };
  },
});
