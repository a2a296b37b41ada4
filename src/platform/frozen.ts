// What is frozen completely. `Object.isFrozen` says nothing about the parts of a value.
const walked = new WeakSet<object>();

/**
 * Freezes a value and everything it refers to, and returns it. Caches freeze what requests share:
 * otherwise, one request could change what the next is allowed. Each part is walked once.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || walked.has(value)) return value;
  // Bytes cannot be frozen.
  if (ArrayBuffer.isView(value)) return value;
  walked.add(value);
  if ((value instanceof Set || value instanceof Map) && !Object.isFrozen(value))
    refuseChanges(value);
  Object.freeze(value);
  if (value instanceof Set || value instanceof Map)
    for (const [key, entry] of value.entries()) {
      deepFreeze(key);
      deepFreeze(entry);
    }
  else for (const part of Object.values(value)) deepFreeze(part);
  return value;
}

/** Replaces the methods that change a collection: freezing an object does not affect its entries. */
function refuseChanges(collection: Set<unknown> | Map<unknown, unknown>): void {
  for (const method of ['add', 'set', 'delete', 'clear'])
    if (method in collection) Object.defineProperty(collection, method, { value: refuse });
}

function refuse(): never {
  throw new TypeError('A shared collection must not be changed.');
}
