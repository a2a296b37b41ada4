import { z } from 'zod';
import { documentText, parseJson } from '../documents.ts';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

const MAX_ERRORS = 50;
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

export const jsonValidate = defineTool({
  id: '6ed324d9-4088-4f5f-ba5b-e300afa90cae',
  name: 'json_validate',
  title: 'Validate JSON against a JSON Schema',
  description:
    'Validates a JSON document against a JSON Schema (draft 2020-12) and lists the errors with ' +
    'their locations, at most 50. Use it before you pass on structured data. `$ref` works only ' +
    'within the schema; fails with invalid_schema if the schema itself is invalid. Example: ' +
    '{"json": "{\\"age\\": -1}", "schema": "{\\"properties\\": {\\"age\\": {\\"minimum\\": 0}}}"}.',
  input: z.strictObject({
    json: documentText('The JSON document as text, at most 200,000 characters.'),
    schema: documentText('The JSON Schema as text, at most 200,000 characters.'),
  }),
  output: z.object({
    valid: z.boolean(),
    errors: z.array(
      z.object({
        instance: z.string().describe('JSON Pointer into the document; "" is its root.'),
        schema: z.string().describe('Keyword that failed, as a JSON Pointer into the schema.'),
        message: z.string(),
      }),
    ),
    truncated: z.boolean(),
  }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'A number below its minimum',
      arguments: {
        json: '{"age": -1}',
        schema: '{"type": "object", "properties": {"age": {"minimum": 0}}}',
      },
      result: {
        valid: false,
        errors: [
          {
            instance: '/age',
            schema: '/properties/age/minimum',
            message: '-1 is less than 0.',
          },
        ],
        truncated: false,
      },
    },
    {
      title: 'A valid document',
      arguments: { json: '[1, 2]', schema: '{"type": "array", "items": {"type": "integer"}}' },
      result: { valid: true, errors: [], truncated: false },
    },
    {
      title: 'A type that does not exist in JSON Schema',
      arguments: { json: '1', schema: '{"type": "decimal"}' },
      error: 'invalid_schema',
    },
  ],
  async compute({ json, schema }) {
    const document = parseJson(json, 'json');
    const rules = parseJson(schema, 'schema');
    await requireSchema(rules);
    // Interprets the schema: compiling an untrusted schema would run its author's code.
    const { Validator } = await import('@cfworker/json-schema');
    const { valid, errors } = interpret(() =>
      new Validator(rules as object, '2020-12', false).validate(document),
    );
    // An applicator repeats the errors of its subschemas; only the innermost say what is wrong.
    const causes = errors.filter(({ keyword }) => !APPLICATORS.has(keyword));
    return {
      valid,
      errors: causes.slice(0, MAX_ERRORS).map((error) => ({
        instance: error.instanceLocation.slice(1),
        schema: error.keywordLocation.slice(1),
        message: error.error,
      })),
      truncated: causes.length > MAX_ERRORS,
    };
  },
});

const APPLICATORS = new Set(
  (
    'properties patternProperties additionalProperties items prefixItems $ref $dynamicRef allOf ' +
    'dependentSchemas if then else'
  ).split(' '),
);

async function requireSchema(schema: unknown): Promise<void> {
  requireDialect(schema);
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  if (interpret(() => ajv.validateSchema(schema as object)) === true) return;
  const [first] = ajv.errors ?? [];
  throw new ToolFailure(
    'invalid_schema',
    `\`schema\` is not a valid JSON Schema 2020-12: ${first?.instancePath ?? ''} ${first?.message ?? ''}`,
  );
}

function requireDialect(schema: unknown): void {
  const named = typeof schema === 'object' && schema !== null && '$schema' in schema;
  const dialect = named ? schema.$schema : DIALECT;
  if (typeof dialect === 'string' && dialect.replace(/#$/, '') === DIALECT) return;
  throw new ToolFailure(
    'invalid_schema',
    `\`$schema\` must be ${DIALECT}, the only dialect this tool supports. Rewrite the ` +
      'schema for it, or omit `$schema` if no keyword differs.',
  );
}

function interpret<Result>(validate: () => Result): Result {
  try {
    return validate();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const why = error instanceof Error ? error.message.split('\n')[0] : '';
    throw new ToolFailure('invalid_schema', `\`schema\` could not be applied: ${why}`);
  }
}
