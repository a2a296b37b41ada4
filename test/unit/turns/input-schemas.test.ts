import { expect, test } from 'vitest';
import { importOpenApi } from '../../../src/content/tools/openapi/import.ts';
import { inputSchemaProblems } from '../../../src/content/tools/input-schema.ts';
import { createArgumentChecker } from '../../../src/mcp/calls/arguments.ts';
import { heldShare } from '../../support/longest-turn.ts';

const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, i) => make(i));
const record = (length: number, make: (index: number) => unknown) =>
  Object.fromEntries(list(length, (index) => [`p${index}`, make(index)]));
const properties = (length: number, make: (index: number) => unknown) => ({
  properties: record(length, make),
});
const withPatterns = (count: number, make: (index: number) => string) =>
  properties(count, (index) => ({ pattern: make(index) }));

test.each<[name: string, schema: object]>([
  ['an ordinary one', properties(20, () => ({ type: 'string', pattern: '^[a-z]{1,20}$' }))],
  ['many properties', properties(290, () => ({ type: ['string', 'number'], minLength: 1 }))],
  ['many choices', { oneOf: list(290, (index) => ({ const: index })) }],
  ['many conditions', properties(140, () => ({ contains: { const: 1 }, maxContains: 3 }))],
  ['many patterns', withPatterns(290, (index) => `^[a-z]{1,9}${index}$`)],
  ['many patterns, as many as are allowed', withPatterns(80, (index) => `^[a-z]{1,9}${index}$`)],
  ['many patterns with Unicode classes', withPatterns(290, (index) => `(?i)\\p{L}${index}`)],
  [
    'many patterns in unused definitions',
    { $defs: record(290, (index) => ({ pattern: `(?i)\\p{L}${index}` })) },
  ],
  [
    'many patterns of properties',
    { patternProperties: Object.fromEntries(list(290, (index) => [`^a${index}`, {}])) },
  ],
  ['a pattern with many repetitions', withPatterns(60, () => 'x{999}'.repeat(80))],
  ['a pattern with nested repetitions', withPatterns(60, () => `(?:${'x{2}'.repeat(120)}){500}`)],
  ['a pattern with many Unicode classes', withPatterns(50, () => `(?i)[${'\\pL'.repeat(160)}]`)],
  ['many properties that require others', { dependentRequired: record(1_500, () => ['a', 'b']) }],
  [
    'many properties of any value, and no others',
    { ...properties(2_000, () => true), unevaluatedProperties: false },
  ],
])('a schema holds the event loop no longer than one turn: %s', async (_name, more) => {
  const input_schema = { type: 'object', ...more };
  const save = async () => inputSchemaProblems(input_schema);
  const call = async () => {
    const tool = { id: 'tool', version: '1', input_schema, origin: 'custom' as const };
    try {
      createArgumentChecker().check(tool, { p0: {} });
    } catch {
      // Whether they fit makes no difference.
    }
  };

  expect(await heldShare(save)).toBeLessThan(1);
  if (inputSchemaProblems(input_schema).length === 0) expect(await heldShare(call)).toBeLessThan(1);
});

test('all patterns of a schema have a limit together, and those beyond it are refused', () => {
  const problemsOf = (count: number) =>
    inputSchemaProblems({ type: 'object', ...withPatterns(count, (i) => `^[a-z]{1,9}${i}$`) });

  expect(problemsOf(80)).toEqual([]);
  expect(problemsOf(200)[0]).toMatchObject({
    code: 'invalid_input_schema',
    message: expect.stringMatching(/too complex together/),
  });
});

test('an import leaves out patterns beyond the limit of a schema', async () => {
  const parameters = list(200, (index) => ({
    name: `p${index}`,
    in: 'query',
    schema: { type: 'string', pattern: `^[a-z]{1,9}${index}$` },
  }));
  const imported = await importOpenApi(
    {
      openapi: '3.1.0',
      servers: [{ url: 'https://api.example' }],
      paths: { '/items': { get: { operationId: 'items', parameters } } },
    },
    { isTaken: () => false },
  );

  const [tool] = imported!.tools;
  expect(tool!.input_schema['properties']).toMatchObject({
    p0: { pattern: '^[a-z]{1,9}0$' },
    p199: { type: 'string' },
  });
  expect(inputSchemaProblems(tool!.input_schema)).toEqual([]);
});
