import { booleanOf } from './condition.ts';
import { invalidFilter } from './parse.ts';
import type { Filter, Value } from './parse.ts';

/** Returns whether a filter in brackets selects a value, whose fields have lower-case names. */
export function selects(filter: Filter, value: Readonly<Record<string, Value>>): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => selects(part, value));
    case 'or':
      return filter.parts.some((part) => selects(part, value));
    case 'not':
      return !selects(filter.filter, value);
    case 'present':
      return (value[filter.path] ?? null) !== null;
    case 'compare': {
      const isSame = equal(value[filter.path] ?? null, filter.value);
      if (filter.operator === 'eq') return isSame;
      if (filter.operator === 'ne') return !isSame;
      throw invalidFilter('in the path may use only `eq` and `ne`');
    }
  }
}

function equal(stored: Value, asked: Value): boolean {
  if (typeof stored === 'boolean') return booleanOf(asked) === stored;
  if (typeof stored !== 'string' || typeof asked !== 'string') return stored === asked;
  return stored.toLowerCase() === asked.toLowerCase();
}
