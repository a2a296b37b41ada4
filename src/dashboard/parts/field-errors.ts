import { RequestError } from '../api/request.ts';

/** Returns the field of a form that an error's pointer names; null if there is none. */
export type FieldOf = (pointer: readonly string[]) => string | null;

/** Returns the fields of a form whose bodies have the same fields; a list is one field. */
export const firstPart =
  (fields: readonly string[]): FieldOf =>
  ([field]) =>
    field !== undefined && fields.includes(field) ? field : null;

/**
 * Splits the errors of an answer: messages by field, from each error's JSON Pointer, and whether
 * others remain, which belong above the form.
 */
export function fieldErrors(
  error: unknown,
  fieldOf: FieldOf,
): { byField: Record<string, string>; hasOthers: boolean } {
  if (!(error instanceof RequestError)) return { byField: {}, hasOthers: error !== null };
  const byField: Record<string, string> = {};
  let hasOthers = error.errors.length === 0;
  for (const { detail, message } of error.errors) {
    const field = fieldOf(partsOf(detail?.pointer ?? ''));
    if (field === null) hasOthers = true;
    else byField[field] ??= message;
  }
  return { byField, hasOthers };
}

const partsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
