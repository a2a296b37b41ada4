import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { compileJsonSchema, PatternsTooSlow } from '../../platform/json/json-schema.ts';
import { toJsonPointer } from '../../platform/json/json-pointer.ts';
import { invalidParams } from '../protocol/errors.ts';
import type { Issue } from '../protocol/errors.ts';

// Total size of the cached schemas; a compiled schema takes about 80 bytes per character.
const MAX_CHARACTERS = 2_000_000;
// Overhead that is added to the size of each schema.
const SCHEMA_WEIGHT = 300;
const MAX_ISSUES = 20;
// Collecting all issues of a hostile value is expensive; for large values, only the first is
// reported. Compiling a schema is expensive too, so a check compiles one of the two forms at most.
const MAX_VALUES_FOR_ALL_ISSUES = 500;
// Limit for custom tools: with the limit on subschemas, it bounds the cost of a check.
const MAX_CUSTOM_TOOL_VALUES = 2_000;

/** One version of a tool, with the schema that its arguments are checked against. */
export interface CheckedTool {
  id: string;
  version: string;
  input_schema: object;
  /** The schema of a custom tool is untrusted. */
  origin?: 'builtin' | 'custom';
}

/** The forms of a schema that were needed so far. */
interface CompiledSchema {
  findFirst?: ValidateFunction;
  findAll?: ValidateFunction;
}

/**
 * Creates the checker of arguments against the JSON Schema (2020-12) of one version of a tool; it
 * caches compiled schemas by tool and version (LRU).
 */
export function createArgumentChecker(max = MAX_CHARACTERS) {
  const compiled = new LRUCache<string, CompiledSchema>({ maxSize: max });

  function entryOf(tool: CheckedTool): CompiledSchema {
    const key = `${tool.id} ${tool.version}`;
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const entry: CompiledSchema = {};
    const size = JSON.stringify(tool.input_schema).length + SCHEMA_WEIGHT;
    compiled.set(key, entry, { size });
    return entry;
  }

  return {
    /** Throws `invalid_params` with a pointer for each issue. */
    check(tool: CheckedTool, values: unknown) {
      if (tool.origin === 'custom' && !isSmall(values, MAX_CUSTOM_TOOL_VALUES))
        throw invalidParams([
          { pointer: '', message: `must have at most ${MAX_CUSTOM_TOOL_VALUES} values` },
        ]);
      const entry = entryOf(tool);
      const validate = isSmall(values, MAX_VALUES_FOR_ALL_ISSUES)
        ? (entry.findAll ??= compiledSchema(tool, true))
        : (entry.findFirst ??= compiledSchema(tool, false));
      if (!matchesSchema(validate, values))
        throw invalidParams((validate.errors ?? []).slice(0, MAX_ISSUES).map(issueOf));
    },
  };
}
export type ArgumentChecker = ReturnType<typeof createArgumentChecker>;

const compiledSchema = ({ input_schema, origin }: CheckedTool, allErrors: boolean) =>
  compileJsonSchema(input_schema, { allErrors, foreign: origin === 'custom' });

function matchesSchema(validate: ValidateFunction, values: unknown): boolean {
  try {
    return validate(values);
  } catch (error) {
    if (!(error instanceof PatternsTooSlow)) throw error;
    throw invalidParams([
      { pointer: '', message: 'is too long for the patterns in the tool schema' },
    ]);
  }
}

/**
 * Returns the error as an issue; the pointer includes the name of a missing or unknown property.
 */
function issueOf(error: ErrorObject): Issue {
  const params = error.params as Readonly<Record<string, unknown>>;
  const unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
  const property = params['missingProperty'] ?? unknown;
  const pointer =
    typeof property === 'string'
      ? error.instancePath + toJsonPointer([property])
      : error.instancePath;
  if (error.keyword === 'required') return { pointer, message: 'is required' };
  if (unknown !== undefined) return { pointer, message: 'is not in the schema of the tool' };
  return { pointer, message: error.message ?? 'does not match the schema' };
}

function isSmall(value: unknown, max: number): boolean {
  const queue = [value];
  for (let seen = 0; seen < queue.length; seen += 1) {
    if (queue.length > max) return false;
    const node = queue[seen];
    if (typeof node === 'object' && node !== null)
      queue.push(...Object.values(node).slice(0, max + 1));
  }
  return true;
}
