import { expect, test } from 'vitest';
import { inputSchemaProblems } from '../../../src/content/tools/input-schema.ts';
import { createArgumentChecker } from '../../../src/mcp/calls/arguments.ts';
import { heldShare } from '../../support/longest-turn.ts';

const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, i) => make(i));
const allOf = (make: (index: number) => object, count = 145) => ({ allOf: list(count, make) });
const ofA = (make: (index: number) => object, count?: number) =>
  allOf((i) => ({ properties: { a: make(i) } }), count);
const record = (length: number, key: (index: number) => string) =>
  Object.fromEntries(list(length, (index) => [key(index), 1]));

test.each<[name: string, schema: object, values: object]>([
  ['an ordinary one', { properties: { a: { type: 'string' } } }, { a: 'x'.repeat(1_000_000) }],
  [
    'arrays that must be unique',
    ofA(() => ({ uniqueItems: true })),
    { a: list(990, (a) => ({ a })) },
  ],
  ['a long text that must be short', ofA((i) => ({ maxLength: 2e6 + i })), { a: 'é'.repeat(1e6) }],
  [
    'many texts that must be short',
    { properties: { a: { items: allOf((i) => ({ maxLength: 300 + i })) } } },
    { a: list(1_900, () => '😀'.repeat(250)) },
  ],
  [
    'many texts, each list of them',
    ofA((i) => ({ items: { maxLength: 300 + i } }), 95),
    { a: list(1_900, () => '😀'.repeat(250)) },
  ],
  [
    'long names that must be short',
    { propertyNames: allOf((i) => ({ maxLength: 1_000 + i })) },
    record(1_900, (index) => 'p'.repeat(900) + index),
  ],
  [
    'values of many lists of choices',
    { properties: { a: { items: allOf(() => ({ enum: list(8, (i) => [1, `choice ${i}`]) })) } } },
    { a: list(600, () => [1, 'choice 7']) },
  ],
  [
    'values that fit none of many schemas',
    { properties: { a: { items: { anyOf: list(290, (i) => ({ const: i })) } } } },
    { a: list(1_990, () => 'x') },
  ],
])(
  'checking arguments holds the event loop no longer than one turn: %s',
  async (_name, more, values) => {
    const input_schema = { type: 'object', ...more };
    expect(inputSchemaProblems(input_schema)).toEqual([]);
    const checker = createArgumentChecker();
    const tool = { id: 'tool', version: '1', input_schema, origin: 'custom' as const };
    const check = async () => {
      try {
        checker.check(tool, values);
      } catch {
        // Whether they fit makes no difference.
      }
    };
    // Compiles the schema.
    await check();

    expect(await heldShare(check)).toBeLessThan(1);
  },
);
