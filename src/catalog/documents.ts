import { z } from 'zod';
import { ToolFailure } from './tool-failure.ts';

const MAX_DOCUMENT_CHARACTERS = 200_000;
const MAX_DEPTH = 100;

/** Returns the schema of a text argument that holds a whole document. */
export const documentText = (description: string) =>
  z.string().max(MAX_DOCUMENT_CHARACTERS).describe(description);

/** Parses an argument as JSON; throws a `ToolFailure` that names the argument and the fault. */
export function parseJson(text: string, argument: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new ToolFailure('invalid_json', `\`${argument}\` is not valid JSON: ${why}`, {
      argument,
    });
  }
  requireShallow(value, argument);
  return withoutPrototypes(value, argument);
}

/** Copies a value without prototypes, so that no library reads inherited properties as data. */
function withoutPrototypes(value: unknown, argument: string): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new ToolFailure('out_of_range', `\`${argument}\` contains a number beyond ±1.8e308.`, {
      argument,
    });
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutPrototypes(item, argument));
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) copy[key] = withoutPrototypes(item, argument);
  return copy;
}

/** Throws `too_deep` for nesting at which recursive code could overflow the stack. */
export function requireShallow(value: unknown, argument: string): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH)
      throw new ToolFailure(
        'too_deep',
        `\`${argument}\` must have at most ${MAX_DEPTH} levels of nesting.`,
        {
          argument,
        },
      );
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
}
