import { expect, test } from 'vitest';
import { importOpenApi } from '../../../src/content/tools/openapi/import.ts';

const numbered = (count: number, valueOf: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, valueOf(index)]));
const wide = { type: 'object', properties: numbered(3_000, () => ({})) };
const reference = { $ref: '#/components/schemas/Wide' };
const parameters = (schema: object) =>
  Array.from({ length: 300 }, (_, index) => ({ name: `n${index}`, in: 'query', schema }));

/** Returns the codes of the skipped operations, and the CPU time of the import in milliseconds. */
async function measure(operation: object, paths = 1) {
  const before = process.cpuUsage();
  const found = await importOpenApi(
    {
      openapi: '3.1.0',
      servers: [{ url: 'https://api.example' }],
      components: { schemas: { Wide: wide }, pathItems: { shared: { post: operation } } },
      paths: Object.fromEntries(
        Array.from({ length: paths }, (_, index) => [
          `/a${index}`,
          { $ref: '#/components/pathItems/shared' },
        ]),
      ),
    },
    { isTaken: () => false },
  );
  const codes = [...new Set(found?.skipped.map(({ code }) => code))];
  return { codes, milliseconds: process.cpuUsage(before).user / 1_000 };
}

const body = (schema: object) => ({
  requestBody: { content: { 'application/json': { schema } } },
});

test.each([
  ['many parameters refer to a large object', { parameters: parameters(reference) }, 1],
  ['many parameters combine a large object', { parameters: parameters({ allOf: [reference] }) }, 1],
  ['many operations share a large body', body(reference), 150],
  [
    'many branches repeat a large object',
    body({ anyOf: Array.from({ length: 2_000 }, () => ({ allOf: [reference] })) }),
    50,
  ],
])('a document costs no more than its size when %s', async (_, operation, paths) => {
  const { codes, milliseconds } = await measure(operation, paths);

  expect(codes).toEqual(['too_large']);
  expect(milliseconds).toBeLessThan(3_000);
});
