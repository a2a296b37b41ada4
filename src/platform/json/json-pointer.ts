/** Returns the JSON pointer (RFC 6901) of a value by the keys that lead to it. */
export const toJsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
