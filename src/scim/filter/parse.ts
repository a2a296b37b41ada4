import { malformed } from '../../platform/errors/refusal.ts';

export type Value = string | number | boolean | null;
const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Operator = (typeof operators)[number];

/** A filter of RFC 7644, section 3.4.2.2. Paths are in lower case, without the schema's URN. */
export type Filter =
  | { kind: 'and' | 'or'; parts: readonly Filter[] }
  | { kind: 'not'; filter: Filter }
  | { kind: 'present'; path: string }
  | { kind: 'compare'; path: string; operator: Operator; value: Value };

/** Prefixes of attributes that name their schema. */
export const CORE_SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i;

const MAX_CHARACTERS = 2_000;
const MAX_DEPTH = 10;
const TOKEN = /\s*([()[\]]|"(?:[^"\\]|\\.)*"|[^\s()[\]"]+)/y;
const PATH = /^[a-z$][a-z0-9_$-]*(?:\.[a-z$][a-z0-9_$-]*)?$/;

export const invalidFilter = (why: string) => malformed('invalid_filter', `The filter ${why}.`);

/** Parses a filter; throws 400 for one that is malformed, too long or nested too deeply. */
export function parseFilter(text: string): Filter {
  const reader = createReader(text);
  const filter = parseAny(reader, { prefix: '', depth: 0 });
  if (reader.peek() !== null) throw invalidFilter('continues after its end');
  return filter;
}

interface Reader {
  peek(): string | null;
  next(): string | null;
}

function createReader(text: string): Reader {
  if (text.length > MAX_CHARACTERS) throw invalidFilter('is too long');
  // PostgreSQL accepts neither.
  if (!text.isWellFormed() || text.includes('\0')) throw invalidFilter('has invalid characters');
  const tokens: string[] = [];
  const trimmed = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const token = TOKEN.exec(trimmed)?.[1];
    if (token === undefined) throw invalidFilter('has an open quotation mark');
    tokens.push(token);
  }
  let at = 0;
  return { peek: () => tokens[at] ?? null, next: () => tokens[at++] ?? null };
}

interface Place {
  /** The attribute whose values a filter in brackets selects, with a dot. */
  prefix: string;
  depth: number;
}

const isWord = (token: string | null, word: string) => token?.toLowerCase() === word;

function parseAny(reader: Reader, place: Place): Filter {
  if (place.depth > MAX_DEPTH) throw invalidFilter('is nested too deeply');
  return parseList(reader, 'or', () => parseList(reader, 'and', () => parseOne(reader, place)));
}

function parseList(reader: Reader, kind: 'and' | 'or', parse: () => Filter): Filter {
  const parts = [parse()];
  while (isWord(reader.peek(), kind)) {
    reader.next();
    parts.push(parse());
  }
  return parts.length === 1 ? parts[0]! : { kind, parts };
}

function parseOne(reader: Reader, place: Place): Filter {
  const inner = { ...place, depth: place.depth + 1 };
  const token = reader.next();
  if (token === '(') return parseGroup(reader, inner, ')');
  if (isWord(token, 'not') && reader.peek() === '(') {
    reader.next();
    return { kind: 'not', filter: parseGroup(reader, inner, ')') };
  }
  const path = `${place.prefix}${pathOf(token)}`;
  if (reader.peek() !== '[') return parseComparison(reader, path);
  if (place.prefix !== '' || path.includes('.')) throw invalidFilter('has brackets in brackets');
  reader.next();
  const selected = parseGroup(reader, { ...inner, prefix: `${path}.` }, ']');
  const rest = reader.peek();
  if (rest === null || !rest.startsWith('.')) return selected;
  reader.next();
  return {
    kind: 'and',
    parts: [selected, parseComparison(reader, `${path}.${pathOf(rest.slice(1))}`)],
  };
}

function parseGroup(reader: Reader, place: Place, end: ')' | ']'): Filter {
  const filter = parseAny(reader, place);
  if (reader.next() !== end) throw invalidFilter(`lacks a \`${end}\``);
  return filter;
}

function parseComparison(reader: Reader, path: string): Filter {
  const word = reader.next()?.toLowerCase();
  if (word === 'pr') return { kind: 'present', path };
  const operator = operators.find((one) => one === word);
  if (operator === undefined) throw invalidFilter('has an unknown operator');
  return { kind: 'compare', path, operator, value: valueOf(reader.next()) };
}

/** Returns an attribute's path in lower case, without the URN of its schema. */
function pathOf(token: string | null): string {
  const path = (token ?? '').replace(CORE_SCHEMA, '').toLowerCase();
  if (!PATH.test(path)) throw invalidFilter('lacks the name of an attribute');
  return path;
}

function valueOf(token: string | null): Value {
  try {
    const value: unknown = JSON.parse(isBoolean(token) ? token.toLowerCase() : (token ?? ''));
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
      if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0')))
        throw invalidFilter('has invalid characters');
      return value as Value;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalidFilter('lacks a value: write texts in double quotation marks');
}

const isBoolean = (token: string | null): token is string =>
  isWord(token, 'true') || isWord(token, 'false');
