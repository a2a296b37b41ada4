import type { Ajv2020, CodeKeywordDefinition, KeywordCxt } from 'ajv/dist/2020.js';
import { _, str } from 'ajv/dist/2020.js';
import { canonicalJson } from './canonical-json.ts';

/** What is known about the value that is being checked; forgotten before the next one. */
export class CheckedValue {
  readonly #lengths = new Map<string, number>();
  // Often several schemas in a row apply to one text.
  #last = { text: '', length: 0 };
  readonly #canonical = new Map<object, string>();
  readonly #unique = new Map<object, boolean>();

  forget(): void {
    this.#last = { text: '', length: 0 };
    this.#lengths.clear();
    this.#canonical.clear();
    this.#unique.clear();
  }

  /** Returns the number of characters, counting a surrogate pair as one. */
  lengthOf(text: string): number {
    if (text !== this.#last.text)
      this.#last = { text, length: memoized(this.#lengths, text, () => countCharacters(text)) };
    return this.#last.length;
  }

  /** Returns a text that is the same for equal JSON values. */
  canonical(value: unknown): string {
    if (typeof value !== 'object' || value === null) return canonicalJson(value);
    return memoized(this.#canonical, value, () => canonicalJson(value));
  }

  isUnique(items: readonly unknown[]): boolean {
    return memoized(
      this.#unique,
      items,
      () => new Set(items.map((item) => this.canonical(item))).size === items.length,
    );
  }
}

function countCharacters(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1)
    if (text.codePointAt(at)! > 0xffff) {
      pairs += 1;
      at += 1;
    }
  return text.length - pairs;
}

function memoized<Key, Value>(known: Map<Key, Value>, key: Key, find: () => Value): Value {
  const value = known.get(key) ?? find();
  known.set(key, value);
  return value;
}

/**
 * Replaces keywords whose own implementations compare every item with every other, measure a text once
 * for each schema (up to 300 schemas may apply to the same value), or call what a value has as
 * `toString` or `valueOf`.
 */
export function addFastKeywords(ajv: Ajv2020, checked: CheckedValue): void {
  const replace = (definition: CodeKeywordDefinition & { keyword: string }) =>
    void ajv.removeKeyword(definition.keyword).addKeyword(definition);

  // A text has at most as many characters as code units, and at least half as many.
  const measure = (text: string, bound: number) =>
    text.length < bound || text.length > 2 * bound ? text.length : checked.lengthOf(text);
  const limit = (keyword: string, word: string, fits: Fits) =>
    replace({
      keyword,
      type: 'string',
      schemaType: 'number',
      code: (cxt) => cxt.pass(_`${refTo(cxt, fits)}(${cxt.data}, ${cxt.schema})`),
      error: {
        message: ({ schemaCode }) => str`must NOT have ${word} than ${schemaCode} characters`,
        params: ({ schemaCode }) => _`{limit: ${schemaCode}}`,
      },
    });
  limit('maxLength', 'more', (text, bound) => measure(text, bound) <= bound);
  limit('minLength', 'fewer', (text, bound) => measure(text, bound) >= bound);

  const isUnique = (items: readonly unknown[]) => checked.isUnique(items);
  replace({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    code(cxt) {
      if (cxt.schema === true) cxt.pass(_`${refTo(cxt, isUnique)}(${cxt.data})`);
    },
    error: { message: 'must NOT have duplicate items' },
  });

  replace({
    keyword: 'enum',
    schemaType: 'array',
    code(cxt) {
      const choices = new Set((cxt.schema as unknown[]).map(canonicalJson));
      const isChoice = (value: unknown) => choices.has(checked.canonical(value));
      cxt.pass(_`${refTo(cxt, isChoice)}(${cxt.data})`);
    },
    error: { message: 'must be equal to one of the allowed values' },
  });

  replace({
    keyword: 'const',
    code(cxt) {
      const wanted = canonicalJson(cxt.schema);
      const isWanted = (value: unknown) => checked.canonical(value) === wanted;
      cxt.pass(_`${refTo(cxt, isWanted)}(${cxt.data})`);
    },
    error: { message: 'must be equal to constant' },
  });
}

type Fits = (text: string, bound: number) => boolean;

/** Makes a function available to the compiled schema. */
const refTo = ({ gen }: KeywordCxt, ref: unknown) => gen.scopeValue('keyword', { ref });
