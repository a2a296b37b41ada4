import { ToolFailure } from '../../../catalog/catalog.ts';

// Each alias repeats what its anchor holds; documents that share schemas have thousands.
const MAX_ALIASES = 100_000;

/** Parses YAML into values that JSON can hold; throws `ToolFailure` if that is not possible. */
export async function parseYaml(text: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  const parsed = parseDocument(text, { merge: true, uniqueKeys: false, logLevel: 'error' });
  if (parsed.errors.length > 0) throw invalid('The document must be valid JSON or YAML.');
  let value: unknown;
  try {
    value = parsed.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw failureOf(error);
  }
  requireAcyclic(value);
  return value;
}

/** Returns what the library found only when it resolved aliases and merge keys. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof RangeError) return error;
  if (error.message.startsWith('Excessive alias count'))
    return new ToolFailure('too_complex', 'The aliases of the document repeat too much of it.');
  return invalid(
    'Each YAML alias must name an anchor that stands before it, and each `<<` must merge objects.',
  );
}

/** Throws if an anchor contains itself. What is shared is visited once, however often it is used. */
function requireAcyclic(value: unknown, outer = new Set<object>(), done = new Set<object>()): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (done.has(value)) return;
  if (outer.has(value))
    throw invalid(
      'A YAML anchor must not contain an alias of itself. Use `$ref` for a recursive schema.',
    );
  outer.add(value);
  for (const inner of Object.values(value)) requireAcyclic(inner, outer, done);
  outer.delete(value);
  done.add(value);
}

const invalid = (message: string) => new ToolFailure('invalid_document', message);
