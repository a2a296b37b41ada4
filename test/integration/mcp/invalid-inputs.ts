import type { BuiltInTool, JsonSchema } from '../../../src/catalog/tool.ts';

interface InvalidInput {
  tool: string;
  field: string;
  fault: string;
  input: Readonly<Record<string, unknown>>;
}

/**
 * Returns invalid inputs that differ minimally from a valid one: a missing field, a wrong type, a
 * value out of bounds.
 */
export function invalidInputsOf(tool: BuiltInTool): InvalidInput[] {
  const validInput = tool.examples[0]!.arguments;
  const schema = tool.input_schema as {
    required?: string[];
    properties?: Record<string, JsonSchema>;
  };
  const missing = (schema.required ?? []).map((field) => ({
    field,
    fault: `${field} left out`,
    input: Object.fromEntries(Object.entries(validInput).filter(([name]) => name !== field)),
  }));
  const violating = Object.entries(schema.properties ?? {}).flatMap(([field, rule]) =>
    wrongValues(rule).map((value) => ({
      field,
      fault: `${field} = ${JSON.stringify(value).slice(0, 40)}`,
      input: { ...validInput, [field]: value },
    })),
  );
  return [...missing, ...violating].map((invalid) => ({ tool: tool.name, ...invalid }));
}

/** Returns values that violate a schema's type or bounds; other constraints are ignored. */
function wrongValues(rule: JsonSchema): unknown[] {
  const { type, minimum, maximum, minLength, maxLength, maxItems } = rule as Record<
    string,
    number
  > & {
    type?: unknown;
  };
  if (typeof type !== 'string') return [];
  return [
    type === 'string' ? 5 : 'x',
    null,
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(minLength === undefined || minLength === 0 ? [] : ['x'.repeat(minLength - 1)]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => 'x')]),
  ];
}
