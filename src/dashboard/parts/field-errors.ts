import { RequestError } from '../api/request.ts';

/**
 * Splits the errors of an answer: messages by field, from each error's JSON Pointer, and whether
 * others remain, which belong above the form.
 */
export function fieldErrors(
  error: unknown,
  fields: readonly string[],
): { byField: Record<string, string>; hasOthers: boolean } {
  if (!(error instanceof RequestError)) return { byField: {}, hasOthers: error !== null };
  const byField: Record<string, string> = {};
  let hasOthers = error.errors.length === 0;
  for (const { detail, message } of error.errors) {
    const field = detail?.pointer?.split('/')[1];
    if (field !== undefined && fields.includes(field)) byField[field] ??= message;
    else hasOthers = true;
  }
  return { byField, hasOthers };
}
