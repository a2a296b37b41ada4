import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { compileLinearPattern } from '../text/linear-pattern.ts';
import { addFastKeywords, CheckedValue } from './fast-keywords.ts';

export interface CompileOptions {
  /** Collects every error instead of only the first. */
  allErrors: boolean;
  /** The schema is untrusted: its patterns match in linear time, within a step budget. */
  foreign: boolean;
}

const common = {
  strict: false,
  validateFormats: false,
  addUsedSchema: false,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  // Otherwise inherited properties such as `toString` or `constructor` would count as sent.
  ownProperties: true,
  // Schemas are validated when they are saved.
  meta: false,
  validateSchema: false,
  logger: false,
} as const;

/**
 * Compiles a JSON Schema (2020-12) with its own Ajv: a shared one would cache every schema it ever
 * compiled.
 */
export function compileJsonSchema(
  schema: object,
  { allErrors, foreign }: CompileOptions,
): ValidateFunction {
  if (!foreign) return new Ajv2020({ ...common, allErrors }).compile(schema);
  const budget = { left: 0 };
  // Optimizing the code would take longer than all the rest, and a schema may never be used.
  const code = { regExp: patternsOn(budget), optimize: false };
  const ajv = new Ajv2020({ ...common, allErrors, code });
  const known = new CheckedValue();
  addFastKeywords(ajv, known);
  const validate = ajv.compile(schema);
  const budgeted = (value: unknown): boolean => {
    budget.left = PATTERN_STEPS;
    try {
      return validate(value);
    } finally {
      checked.errors = validate.errors ?? null;
      known.forget();
    }
  };
  const checked = Object.assign(budgeted, validate) as ValidateFunction;
  return checked;
}

/** Error of a schema whose patterns exceeded the step budget on one value. */
export class PatternsTooSlow extends Error {}

// Some tens of milliseconds of event loop time.
const PATTERN_STEPS = 1_000_000;

function patternsOn(budget: { left: number }) {
  const engine = (source: string) => {
    const { size, test } = compileLinearPattern(source);
    return {
      // Ajv identifies a pattern by its text.
      toString: () => source,
      test(text: string) {
        budget.left -= (text.length + 1) * size;
        if (budget.left < 0) throw new PatternsTooSlow('the schema’s patterns took too many steps');
        return test(text);
      },
    };
  };
  return Object.assign(engine, { code: 'compileLinearPattern' });
}
