/**
 * Returns JSON that is the same for equal values, regardless of their key order. Keys are sorted as
 * in RFC 8785, whose other rules would reject strings that are not well-formed Unicode.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  let members = '';
  // The default order is that of UTF-16 code units.
  for (const key of Object.keys(value).toSorted()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}
