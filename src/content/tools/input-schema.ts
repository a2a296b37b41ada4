import { Ajv2020 } from 'ajv/dist/2020.js';
import { compileJsonSchema } from '../../platform/json/json-schema.ts';
import { compileLinearPattern } from '../../platform/text/linear-pattern.ts';
import { MAX_PROBLEMS } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { createPatternBudget, patternsOf } from './schema-patterns.ts';
import type { PatternBudget } from './schema-patterns.ts';
import { defName, expandedSize, isRecord, subschemasOf } from './schema-walk.ts';
import type { Subschema, Schema } from './schema-walk.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
export const MAX_SCHEMA_CHARACTERS = 32_768;
/** Returns whether a schema is too long to be read at all. */
export const isTooLong = (schema: Schema): boolean =>
  JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS;
/** Compiling one subschema takes a few tenths of a millisecond. */
const MAX_SCHEMAS = 300;

/** Keywords that refer to schemas in ways not checked here; `$async` would accept any value. */
const UNSUPPORTED = new Set(
  '$id $anchor $async $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef $vocabulary'.split(
    ' ',
  ),
);

/**
 * Returns the problems of an input schema, for a 422 response: parts that MCP clients do not
 * support, references to other schemas, and parts that would make validation slow (B3-11).
 */
export function inputSchemaProblems(schema: Schema): Problem[] {
  if (schema['type'] !== 'object')
    return [schemaProblem('/type', 'An input schema must have type object.')];
  if (isTooLong(schema))
    return [schemaProblem('', `The schema must have at most ${MAX_SCHEMA_CHARACTERS} characters.`)];
  const refused = unsupportedKeyword(schema);
  if (refused !== undefined) return [schemaProblem('', `\`${refused}\` is not supported here.`)];
  const metaError = metaProblem(schema);
  if (metaError !== null) return [metaError];

  const headers = new Set<string>();
  const fits = createPatternBudget();
  const found = [...subschemasOf(schema)].flatMap((subschema) => [
    ...referenceProblems(subschema, schema),
    ...patternProblems(subschema, fits),
    ...headerProblems(subschema, headers),
  ]);
  if (found.length > 0) return found.slice(0, MAX_PROBLEMS);
  return expansionProblems(schema);
}

/** Searches the whole value, not only keyword positions: Ajv finds an `$id` anywhere. */
function unsupportedKeyword(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  for (const key of keys) if (UNSUPPORTED.has(key)) return key;
  for (const inner of Object.values(value)) {
    const found = unsupportedKeyword(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

// The metaschema is compiled once; validating a schema against it stores nothing of that schema.
const metaschema = new Ajv2020({ strict: false, logger: false });

function metaProblem(schema: Schema): Problem | null {
  const dialect = schema['$schema'] ?? DIALECT;
  if (dialect !== DIALECT) return schemaProblem('/$schema', `The dialect must be ${DIALECT}.`);
  if (metaschema.validateSchema(schema) === true) return null;
  const [first] = metaschema.errors ?? [];
  return schemaProblem(first?.instancePath ?? '', `Invalid JSON Schema: ${first?.message ?? ''}.`);
}

function referenceProblems({ schema, pointer }: Subschema, root: Schema): Problem[] {
  const problems: Problem[] = [];
  // A keyword of older drafts that Ajv still supports.
  if (Object.hasOwn(schema, 'dependencies'))
    problems.push(schemaProblem(`${pointer}/dependencies`, 'Use `dependentSchemas` instead.'));
  const ref = schema['$ref'];
  const name = typeof ref === 'string' ? defName(ref) : null;
  const exists = name !== null && isRecord(root['$defs']) && Object.hasOwn(root['$defs'], name);
  if (ref !== undefined && !exists)
    problems.push(
      schemaProblem(`${pointer}/$ref`, 'A `$ref` must be `#/$defs/<name>`, within this schema.'),
    );
  return problems;
}

const TOO_COMPLEX =
  'The patterns of the schema are too complex together: use fewer or simpler ones.';

/** A pattern beyond the budget is not compiled, which could take seconds. */
function patternProblems({ schema, pointer }: Subschema, fits: PatternBudget): Problem[] {
  return patternsOf(schema).flatMap(({ text, keyword }) => {
    const refuse = (message: string) => [schemaProblem(`${pointer}/${keyword}`, message)];
    if (!fits(text)) return refuse(TOO_COMPLEX);
    try {
      compileLinearPattern(text);
      return [];
    } catch (error) {
      return refuse(`Invalid RE2 pattern: ${error instanceof Error ? error.message : ''}`);
    }
  });
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const IN_HEADERS = new Set<unknown>(['string', 'integer', 'boolean']);

/** Allows `x-mcp-header` only on properties whose value fits a header (mcp.md 4). */
function headerProblems(
  { schema, pointer, byProperties }: Subschema,
  headers: Set<string>,
): Problem[] {
  if (!Object.hasOwn(schema, 'x-mcp-header')) return [];
  const name = schema['x-mcp-header'];
  const refuse = (message: string) => [schemaProblem(`${pointer}/x-mcp-header`, message)];
  if (typeof name !== 'string' || !TOKEN.test(name)) return refuse('Must be a valid header name.');
  if (!byProperties || pointer === '') return refuse('Is only allowed on properties.');
  const types = [schema['type']].flat().filter((type) => type !== 'null');
  if (types.length !== 1 || !IN_HEADERS.has(types[0]))
    return refuse('Is only allowed on a string, integer or boolean.');
  if (headers.has(name.toLowerCase())) return refuse('Two properties have the same header.');
  headers.add(name.toLowerCase());
  return [];
}

function expansionProblems(schema: Schema): Problem[] {
  const size = expandedSize(schema);
  if (size === Infinity) return [recursionProblem(schema)];
  if (size > MAX_SCHEMAS)
    return [
      schemaProblem(
        '',
        `There must be at most ${MAX_SCHEMAS} schemas, counting each use of a \`$ref\` ` +
          'and each property in `dependentRequired`.',
      ),
    ];
  try {
    compileJsonSchema(schema, { allErrors: false, foreign: true });
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : '';
    return [schemaProblem('', `The schema could not be compiled: ${reason}`)];
  }
}

/** Names the first reference outside definitions that leads to a recursive one. */
function recursionProblem(root: Schema): Problem {
  const { $defs } = root;
  const isEndless = ({ $ref }: Schema) =>
    typeof $ref === 'string' && expandedSize({ $ref, $defs }) === Infinity;
  const first = [...subschemasOf(root)].find(
    ({ schema, pointer }) => !pointer.startsWith('/$defs/') && isEndless(schema),
  );
  return schemaProblem(
    first === undefined ? '' : `${first.pointer}/$ref`,
    'A `$ref` refers to itself: replace it by a schema without it, such as `{}`, at some depth.',
  );
}

const schemaProblem = (pointer: string, message: string): Problem => ({
  code: 'invalid_input_schema',
  message,
  detail: { pointer: `/input_schema${pointer}` },
});
