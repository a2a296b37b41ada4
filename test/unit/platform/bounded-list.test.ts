import { expect, test } from 'vitest';
import { z } from 'zod';
import { boundedList } from '../../../src/platform/json/bounded-list.ts';

const list = boundedList(z.string().min(2), 3, 1);
const issuesOf = (sent: unknown) => list.safeParse(sent).error?.issues ?? [];

test('a list with too many entries has one issue, however wrong its entries are', () => {
  expect(issuesOf(Array.from({ length: 4 }, () => 1))).toMatchObject([
    { code: 'too_big', maximum: 3, path: [] },
  ]);
});

test('the issues of a list of allowed length are those of its entries', () => {
  expect(issuesOf(['ok', 'x', 7]).map(({ path }) => path)).toEqual([[1], [2]]);
  expect(issuesOf([])).toMatchObject([{ code: 'too_small', minimum: 1 }]);
  expect(issuesOf(undefined)).toMatchObject([{ code: 'invalid_type', expected: 'array' }]);
  expect(list.parse(['ok', 'fine'])).toEqual(['ok', 'fine']);
});

test.each(['input', 'output'] as const)('JSON Schema of %s states entries and bounds', (io) => {
  expect(z.toJSONSchema(z.object({ list }), { io })).toMatchObject({
    properties: {
      list: { type: 'array', items: { type: 'string', minLength: 2 }, minItems: 1, maxItems: 3 },
    },
    required: ['list'],
  });
});
