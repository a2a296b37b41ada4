import { describe, expect, test } from 'vitest';
import { inputSchemaProblems } from '../../../src/content/tools/input-schema.ts';
import { mcpContentOf, mcpProblems } from '../../../src/content/tools/mcp-tool.ts';
import { compileJsonSchema } from '../../../src/platform/json/json-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

const contentOf = (input_schema: Schema) =>
  mcpContentOf('0190aaaa-0000-7000-8000-000000000001', {
    ...{ name: 'search', title: null, description: '', output_schema: null, annotations: {} },
    ...{ input_schema, pin: 'p' },
  });
const object = (properties: object, fields: object = {}): Schema => ({
  type: 'object',
  properties,
  ...fields,
});
const text = { type: 'string' };

describe('an upstream’s schema is converted, and accepts the same arguments', () => {
  test.each<[string, Schema, object, object]>([
    [
      'a `$ref` to another property',
      object({ a: text, b: { $ref: '#/properties/a' } }),
      { b: 'x' },
      { b: 1 },
    ],
    [
      'a `$ref` to a part that has references itself',
      object(
        { a: object({ c: { $ref: '#/definitions/t/items' } }), b: { $ref: '#/properties/a' } },
        {
          definitions: { t: { items: text } },
        },
      ),
      { b: { c: 'x' } },
      { b: { c: 1 } },
    ],
    [
      'a `$ref` with an encoded name',
      object({ b: { $ref: '#/definitions/a%20b~1c' } }, { definitions: { 'a b/c': text } }),
      { b: 'x' },
      { b: 1 },
    ],
    [
      'a tuple in `items`',
      object({ a: { type: 'array', items: [text, { type: 'integer' }], additionalItems: false } }),
      { a: ['x', 1] },
      { a: ['x', 1, 2] },
    ],
    [
      'an `$id` and the dialect of the whole schema',
      object(
        { a: text },
        { $id: 'https://a.example/s', $schema: 'http://json-schema.org/draft-07/schema#' },
      ),
      { a: 'x' },
      { a: 1 },
    ],
    [
      'properties that are named like keywords',
      object({ items: { enum: [['x']] }, $ref: text, definitions: { $ref: '#/properties/$ref' } }),
      { definitions: 'x' },
      { definitions: 1 },
    ],
  ])('%s', (_case, source, accepted, refused) => {
    const { input_schema } = contentOf(source);

    expect(inputSchemaProblems(input_schema)).toEqual([]);
    const validate = compileJsonSchema(input_schema, { allErrors: false, foreign: true });
    expect([validate(accepted), validate(refused)]).toEqual([true, false]);
  });
});

describe('what cannot be converted is refused with its place', () => {
  test.each<[string, Schema, string]>([
    [
      'recursion',
      object({ a: { $ref: '#/$defs/t' } }, { $defs: { t: { items: { $ref: '#/$defs/t' } } } }),
      '/properties/a/$ref',
    ],
    [
      'recursion through a property',
      object({ a: { items: { $ref: '#/properties/a' } } }),
      '/properties/a/items/$ref',
    ],
    ['a `$ref` to the whole schema', object({ a: { $ref: '#' } }), '/properties/a/$ref'],
    ['a `$ref` to nothing', object({ a: { $ref: '#/properties/b' } }), '/properties/a/$ref'],
  ])('%s', (_case, source, pointer) => {
    const [problem] = mcpProblems(contentOf(source));

    expect(problem).toMatchObject({
      code: 'unsuitable_upstream_tool',
      detail: { pointer: '/mcp/tool', schema_pointer: `/input_schema${pointer}` },
    });
    expect(problem?.message).toContain(pointer);
  });

  test('a short schema whose references would copy it many times is refused at once', () => {
    const refs = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `p${index}`,
        { $ref: `#/properties/p${index + 1}` },
      ]),
    );
    const [startedAt, problems] = [
      performance.now(),
      mcpProblems(contentOf(object({ ...refs, p400: {} }))),
    ];

    expect(problems).not.toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
