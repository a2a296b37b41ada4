import { sql } from '../../platform/postgres/database.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { invalidFilter } from './parse.ts';
import type { Filter, Operator } from './parse.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** How an attribute is stored, so that a filter becomes a condition in SQL. */
export type Attribute =
  /** `lower`: stored in lower case; `text`: compared without case; `exact`: with case. */
  | { type: 'lower' | 'text' | 'exact'; column: Fragment }
  | { type: 'boolean' | 'time'; column: Fragment }
  /** A list of ids, of which one must equal the value. */
  | { type: 'ids'; includes(id: string): Fragment };

/** Attributes by path in lower case. */
export type Attributes = Readonly<Record<string, Attribute>>;

/** Translates a filter to SQL; throws 400 for an attribute or comparison that is not supported. */
export function conditionOf(filter: Filter, attributes: Attributes): Fragment {
  if (filter.kind === 'not')
    return sql.fragment`(NOT coalesce(${conditionOf(filter.filter, attributes)}, false))`;
  if (filter.kind === 'compare') return compare(filter, attributeAt(filter.path, attributes));
  if (filter.kind === 'present') {
    const attribute = attributeAt(filter.path, attributes);
    if (attribute.type === 'ids') throw unsupported(filter.path);
    return sql.fragment`(${attribute.column} IS NOT NULL)`;
  }
  const parts = filter.parts.map((part) => conditionOf(part, attributes));
  const glue = filter.kind === 'and' ? sql.fragment` AND ` : sql.fragment` OR `;
  return sql.fragment`(${sql.join(parts, glue)})`;
}

function attributeAt(path: string, attributes: Attributes): Attribute {
  const attribute = Object.hasOwn(attributes, path) ? attributes[path] : undefined;
  if (attribute === undefined) throw unsupported(path);
  return attribute;
}

const unsupported = (path: string) =>
  invalidFilter(`compares \`${path}\` in a way that is not supported`);

type Comparison = Extract<Filter, { kind: 'compare' }>;

function compare({ path, operator, value }: Comparison, attribute: Attribute): Fragment {
  if (attribute.type === 'ids') {
    if (operator !== 'eq' || typeof value !== 'string') throw unsupported(path);
    return attribute.includes(value);
  }
  const { column } = attribute;
  if (value === null) {
    if (operator === 'eq') return sql.fragment`(${column} IS NULL)`;
    if (operator === 'ne') return sql.fragment`(${column} IS NOT NULL)`;
    throw unsupported(path);
  }
  if (attribute.type === 'boolean') {
    const expected = booleanOf(value);
    if (expected === null || (operator !== 'eq' && operator !== 'ne')) throw unsupported(path);
    return sql.fragment`(${column} = ${operator === 'eq' ? expected : !expected})`;
  }
  if (typeof value !== 'string') throw unsupported(path);
  if (attribute.type === 'time') {
    const time = Timestamp.safeParse(value).data;
    const symbol = order[operator as keyof typeof order];
    if (time === undefined || symbol === undefined) throw unsupported(path);
    return sql.fragment`(date_trunc('milliseconds', ${column}) ${symbol} ${time}::timestamptz)`;
  }
  return compareText(attribute.type, column, operator, value);
}

const order = {
  eq: sql.fragment`=`,
  ne: sql.fragment`<>`,
  gt: sql.fragment`>`,
  ge: sql.fragment`>=`,
  lt: sql.fragment`<`,
  le: sql.fragment`<=`,
} as const;

function compareText(
  type: 'lower' | 'text' | 'exact',
  stored: Fragment,
  operator: Operator,
  value: string,
): Fragment {
  const column = type === 'text' ? sql.fragment`lower(${stored})` : stored;
  const text =
    type === 'exact' ? sql.fragment`${value}::text` : sql.fragment`lower(${value.toLowerCase()})`;
  if (operator === 'ne') return sql.fragment`(${column} IS DISTINCT FROM ${text})`;
  if (operator === 'co') return sql.fragment`(strpos(${column}, ${text}) > 0)`;
  if (operator === 'sw') return sql.fragment`starts_with(${column}, ${text})`;
  if (operator === 'ew') return sql.fragment`(right(${column}, length(${text})) = ${text})`;
  return sql.fragment`(${column} ${order[operator]} ${text})`;
}

/** Returns a boolean that some directories send as text; null for anything else. */
export function booleanOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text === 'true') return true;
  return text === 'false' ? false : null;
}
