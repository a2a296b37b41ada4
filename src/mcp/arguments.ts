import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { invalidParams } from './errors.ts';
import type { Issue } from './errors.ts';

const COMPILED = 1_000;
const ISSUES = 20;
// Collecting every issue of a hostile value costs more than refusing it; small ones get them all.
const ALL_ISSUES_NODES = 500;

/** Checks arguments against the JSON Schema (2020-12) of one version of a tool. */
export interface ArgumentChecker {
  /** Throws `invalid_params` with the places that do not fit. */
  check(tool: { id: string; version: string; input_schema: object }, values: unknown): void;
}

interface Compiled {
  schema: object;
  validate: ValidateFunction;
  collect: ValidateFunction | null;
}

const options = {
  strict: false,
  validateFormats: false,
  addUsedSchema: false,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
} as const;

/** Schemas are compiled once per tool and version; the least recently used make room. */
export function createArgumentChecker(): ArgumentChecker {
  const first = new Ajv2020(options);
  const all = new Ajv2020({ ...options, allErrors: true });
  const compiled = new Map<string, Compiled>();

  function compile(key: string, schema: object): Compiled {
    const entry = { schema, validate: first.compile(schema), collect: null };
    compiled.set(key, entry);
    if (compiled.size > COMPILED) {
      const [oldest, dropped] = compiled.entries().next().value!;
      compiled.delete(oldest);
      for (const ajv of [first, all]) ajv.removeSchema(dropped.schema);
    }
    return entry;
  }

  return {
    check(tool, values) {
      const key = `${tool.id} ${tool.version}`;
      const known = compiled.get(key);
      if (known !== undefined) {
        compiled.delete(key);
        compiled.set(key, known);
      }
      const entry = known ?? compile(key, tool.input_schema);
      if (entry.validate(values)) return;

      if (!isSmall(values)) throw invalidParams((entry.validate.errors ?? []).map(issueOf));
      entry.collect ??= all.compile(entry.schema);
      entry.collect(values);
      throw invalidParams((entry.collect.errors ?? []).slice(0, ISSUES).map(issueOf));
    },
  };
}

/** A missing or unknown property is named in the pointer, so that the place is the property. */
function issueOf(error: ErrorObject): Issue {
  const params = error.params as Readonly<Record<string, unknown>>;
  const property = params['missingProperty'] ?? params['additionalProperty'];
  const pointer =
    typeof property === 'string'
      ? `${error.instancePath}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`
      : error.instancePath;
  return { pointer, message: error.message ?? 'does not fit' };
}

function isSmall(value: unknown): boolean {
  const queue = [value];
  for (let seen = 0; seen < queue.length; seen += 1) {
    if (queue.length > ALL_ISSUES_NODES) return false;
    const node = queue[seen];
    if (typeof node === 'object' && node !== null) queue.push(...Object.values(node).slice(0, 501));
  }
  return true;
}
