import { ToolFailure } from '../../catalog/catalog.ts';

/** Maximum size of a request's body. */
export const MAX_BYTES = 1_048_576;
/** Maximum length of its URL. */
export const MAX_URL = 8_192;
/** Maximum number of its fields or parts; writing so many takes some ten milliseconds. */
export const MAX_WRITTEN = 10_000;

/** A field, a part or a parameter that was not encoded yet; it repeats its name. */
interface Written {
  name: string;
  values?: readonly string[];
}

/**
 * Throws if a request would contain too many fields, or more text than a body. Call it before they
 * are encoded: a few arguments can repeat a long name often.
 */
export function requireFew(written: readonly Written[]): void {
  if (written.length > MAX_WRITTEN) throw tooLarge();
  let count = 0;
  let characters = 0;
  for (const { name, values = [] } of written) {
    count += values.length;
    characters += name.length;
    for (const value of values) characters += value.length;
    if (count > MAX_WRITTEN || characters > MAX_BYTES) throw tooLarge();
  }
}

export const tooLarge = () =>
  new ToolFailure('too_large', 'With these arguments the request is too large. Shorten them.');
