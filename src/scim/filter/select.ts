import { booleanOf } from './condition.ts';
import { invalidFilter } from './parse.ts';
import type { Filter, Value } from './parse.ts';

/** Returns whether a filter in brackets selects a value, whose fields have lower-case names. */
export function selects(filter: Filter, value: Readonly<Record<string, Value>>): boolean {
  if (filter.kind === 'not') return !selects(filter.filter, value);
  if (filter.kind === 'present') return (value[filter.path] ?? null) !== null;
  if (filter.kind === 'compare') return compares(filter, value[filter.path] ?? null);
  const isSelected = (part: Filter) => selects(part, value);
  return filter.kind === 'and' ? filter.parts.every(isSelected) : filter.parts.some(isSelected);
}

function compares(
  { operator, value }: Extract<Filter, { kind: 'compare' }>,
  stored: Value,
): boolean {
  if (operator !== 'eq' && operator !== 'ne')
    throw invalidFilter('in the path may use only `eq` and `ne`');
  return equal(stored, value) === (operator === 'eq');
}

function equal(stored: Value, asked: Value): boolean {
  if (typeof stored === 'boolean') return booleanOf(asked) === stored;
  if (typeof stored !== 'string' || typeof asked !== 'string') return stored === asked;
  return stored.toLowerCase() === asked.toLowerCase();
}
