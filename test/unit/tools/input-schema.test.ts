import { describe, expect, test } from 'vitest';
import { inputSchemaProblems } from '../../../src/content/tools/input-schema.ts';
import { createArgumentChecker } from '../../../src/mcp/calls/arguments.ts';
import { ProtocolFailure } from '../../../src/mcp/protocol/errors.ts';

const pointers = (schema: object) =>
  inputSchemaProblems(schema as Record<string, unknown>).map(
    ({ detail }) => (detail as { pointer: string }).pointer,
  );
const object = (properties: object, fields: object = {}) => ({
  type: 'object',
  properties,
  ...fields,
});

const doubling = Object.fromEntries(
  Array.from({ length: 30 }, (_, index) => [
    `d${index}`,
    { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
  ]),
);
const wide = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`p${index}`, {}]));

describe('an input schema is saved', () => {
  test.each([
    [{ type: 'object' }],
    [{ type: 'object', additionalProperties: false, $comment: 'nothing' }],
    [
      object(
        {
          city: { type: 'string', pattern: '^[\\p{L} -]{1,40}$', 'x-mcp-header': 'City' },
          days: { type: ['integer', 'null'], minimum: 1, 'x-mcp-header': 'Days' },
          where: object({ strict: { type: 'boolean', 'x-mcp-header': 'Strict' } }),
          point: { $ref: '#/$defs/point' },
          dependencies: { type: 'array' },
          $ref: { type: 'string' },
          format: { enum: ['a', { pattern: '(?=b)' }] },
        },
        {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $defs: { point: object({ x: { type: 'number' } }) },
          required: ['city'],
        },
      ),
    ],
  ])('if it is %j', (schema) => {
    expect(inputSchemaProblems(schema as Record<string, unknown>)).toEqual([]);
  });
});

describe('an input schema is refused with a pointer (B3-11)', () => {
  test.each([
    ['no type', {}, '/type'],
    ['another type', { type: 'array' }, '/type'],
    ['two types', { type: ['object', 'null'] }, '/type'],
    ['not JSON Schema', object({ a: { type: 'text' } }), '/properties/a/type'],
    [
      'another dialect',
      { type: 'object', $schema: 'http://json-schema.org/draft-07/schema#' },
      '/$schema',
    ],
    ['a remote $ref', object({ a: { $ref: 'https://evil.example/s.json' } }), '/properties/a/$ref'],
    ['a $ref to a file', object({ a: { $ref: 'file:///etc/passwd' } }), '/properties/a/$ref'],
    ['a dangling $ref', object({ a: { $ref: '#/$defs/none' } }), '/properties/a/$ref'],
    [
      'a $ref to an inherited property',
      object({ a: { $ref: '#/$defs/toString' } }, { $defs: {} }),
      '/properties/a/$ref',
    ],
    ['a $ref elsewhere', object({ a: { $ref: '#/properties/b' }, b: {} }), '/properties/a/$ref'],
    [
      'a $ref in an unused definition',
      { type: 'object', $defs: { a: { $ref: '#' } } },
      '/$defs/a/$ref',
    ],
    ['an $id', object({ a: { $id: 'x' } }), ''],
    ['an $id where keywords are not expected', { type: 'object', 'x-y': { $id: '#/$defs/a' } }, ''],
    ['an $anchor', object({ a: { $anchor: 'x' } }), ''],
    ['a $dynamicRef', object({ a: { $dynamicRef: '#x' } }), ''],
    ['an asynchronous schema', { type: 'object', $async: true }, ''],
    [
      'a keyword of older drafts',
      { type: 'object', dependencies: { a: { not: {} } } },
      '/dependencies',
    ],
    [
      'a reference cycle',
      object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { not: { $ref: '#/$defs/a' } } } }),
      '/properties/a/$ref',
    ],
    [
      'exponential references',
      { type: 'object', $ref: '#/$defs/d0', $defs: { ...doubling, d30: {} } },
      '',
    ],
    ['too many schemas', object(wide), ''],
    ['too long', { type: 'object', description: 'x'.repeat(40_000) }, ''],
    ['a look-ahead', object({ a: { pattern: 'a(?=b)' } }), '/properties/a/pattern'],
    ['a backreference', object({ a: { pattern: '(a)\\1' } }), '/properties/a/pattern'],
    [
      'a pattern that repeats too much',
      object({ a: { pattern: '((a{30}){30}){30}' } }),
      '/properties/a/pattern',
    ],
    ['a long pattern', object({ a: { pattern: 'a'.repeat(600) } }), '/properties/a/pattern'],
    [
      'a pattern of properties',
      { type: 'object', patternProperties: { '(?<!a)b': {} } },
      '/patternProperties',
    ],
  ])('for %s', (_, schema, pointer) => {
    expect(pointers(schema)).toEqual([`/input_schema${pointer}`]);
  });

  test.each([
    ['at the root', { type: 'object', 'x-mcp-header': 'A' }, ''],
    ['on an object', object({ a: { type: 'object', 'x-mcp-header': 'A' } }), '/properties/a'],
    ['on a number', object({ a: { type: 'number', 'x-mcp-header': 'A' } }), '/properties/a'],
    ['without a type', object({ a: { 'x-mcp-header': 'A' } }), '/properties/a'],
    [
      'of two types',
      object({ a: { type: ['string', 'integer'], 'x-mcp-header': 'A' } }),
      '/properties/a',
    ],
    [
      'inside an array',
      object({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }),
      '/properties/a/items',
    ],
    [
      'inside a choice',
      object({ a: { anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] } }),
      '/properties/a/anyOf/0',
    ],
    [
      'behind a $ref',
      object(
        { a: { $ref: '#/$defs/a' } },
        { $defs: { a: { type: 'string', 'x-mcp-header': 'A' } } },
      ),
      '/$defs/a',
    ],
    [
      'that is not a name',
      object({ a: { type: 'string', 'x-mcp-header': 'A B' } }),
      '/properties/a',
    ],
    [
      'that breaks lines',
      object({ a: { type: 'string', 'x-mcp-header': 'A\r\nB: c' } }),
      '/properties/a',
    ],
    ['that is not a string', object({ a: { type: 'string', 'x-mcp-header': 5 } }), '/properties/a'],
    [
      'twice',
      object({
        a: { type: 'string', 'x-mcp-header': 'a' },
        b: { type: 'string', 'x-mcp-header': 'A' },
      }),
      '/properties/b',
    ],
  ])('x-mcp-header %s (mcp.md 4)', (_, schema, pointer) => {
    expect(pointers(schema)).toEqual([`/input_schema${pointer}/x-mcp-header`]);
  });
});

describe('arguments of a custom tool', () => {
  const check = (input_schema: object, values: unknown) => {
    try {
      createArgumentChecker().check(
        { id: 't', version: '1', origin: 'custom', input_schema },
        values,
      );
      return [];
    } catch (error) {
      if (!(error instanceof ProtocolFailure)) throw error;
      return error.error.data?.['issues'] as { pointer: string; message: string }[];
    }
  };

  test('are matched in linear time', () => {
    const evil = object({ a: { type: 'string', pattern: '^(a+)+$' } });

    expect(check(evil, { a: 'a'.repeat(40) })).toEqual([]);
    expect(check(evil, { a: `${'a'.repeat(40)}!` })).toMatchObject([{ pointer: '/a' }]);
  });

  test('that need too many pattern steps are refused', () => {
    const schema = object({ a: { pattern: '^[a-z]{1,300}$' } });

    expect(check(schema, { a: 'a'.repeat(100) })).toEqual([]);
    expect(check(schema, { a: 'a'.repeat(100_000) })).toMatchObject([{ pointer: '' }]);
  });

  test('have a bounded number of values', () => {
    const schema = object({ a: { items: { type: 'integer' } } });
    const some = Array.from({ length: 1_500 }, (_, index) => index);

    expect(check(schema, { a: some })).toEqual([]);
    expect(check(schema, { a: [...some, ...some] })).toMatchObject([{ pointer: '' }]);
  });
});
