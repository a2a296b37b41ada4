import { expect, test } from 'vitest';
import { importOpenApi } from '../../../src/content/tools/openapi/import.ts';

const importPaths = async (paths: object) =>
  (await importOpenApi(
    { openapi: '3.1.0', servers: [{ url: 'https://api.example' }], paths },
    { isTaken: () => false },
  ))!;
const many = (count: number, one: object) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`/p${index}`, one]));

test('a long list of skipped operations ends with the number of the others', async () => {
  const { skipped } = await importPaths(many(250, { head: {} }));

  expect(skipped).toHaveLength(201);
  expect(skipped.at(-1)).toMatchObject({ operation: '50 more skipped operations' });
});

test('a long list of warnings ends with the number of the others', async () => {
  const unknown = { in: 'query', style: 'unknown', schema: {} };
  const parameters = Array.from({ length: 1_100 }, (_, index) => ({
    name: `n${index}`,
    ...unknown,
  }));
  const { warnings } = await importPaths({ '/a': { get: { parameters } } });

  expect(warnings).toHaveLength(1_001);
  expect(warnings.at(-1)).toMatchObject({ operation: '100 more warnings' });
});

test.each([
  ['`not`', { not: { const: 1 } }],
  ['`enum`', { enum: Array.from({ length: 201 }, (_, index) => index) }],
])('a schema that is written without its %s has a warning', async (keyword, schema) => {
  const parameters = [{ name: 'a', in: 'query', schema }];
  const { warnings } = await importPaths({ '/a': { get: { parameters } } });

  expect(warnings).toEqual([
    expect.objectContaining({
      code: 'simplified_schema',
      message: expect.stringContaining(keyword),
    }),
  ]);
});
