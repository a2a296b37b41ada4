import { toJsonPointer } from '../../platform/json/json-pointer.ts';
import type { HttpTemplate } from './schema.ts';

const MAX_PLACEHOLDERS = 100;
// Checking and writing so many takes some ten milliseconds.
const MAX_VALUES = 10_000;
const MAX_NAME = 1_000;

/** A text of a request that has placeholders. */
export interface TemplateText {
  location: 'url' | 'query' | 'headers' | 'cookies' | 'body';
  /** The header, parameter, cookie or field that the text belongs to. */
  name: string;
  pointer: string;
  text: string;
}

/** Returns the texts of a request that have placeholders, or what looks like one. */
export function textsOf(http: HttpTemplate): TemplateText[] {
  const texts: TemplateText[] = [];
  for (const { path, value } of valuesOf(http))
    if (typeof value === 'string' && value.includes('{{'))
      texts.push({
        ...{ location: path[0] as TemplateText['location'], name: path[1] ?? '' },
        ...{ pointer: toJsonPointer(path), text: value },
      });
  return texts;
}

/** Returns the pointers of the names in a request that contain a placeholder. */
export function namesWithPlaceholder(http: HttpTemplate): string[] {
  const pointers: string[] = [];
  for (const { path } of valuesOf(http))
    if (path.at(-1)!.includes('{{')) pointers.push(toJsonPointer(path));
  return pointers;
}

/** Returns why a request is too large to be checked and sent; null if it is not. */
export function sizeFault(http: HttpTemplate): string | null {
  let values = 0;
  let placeholders = 0;
  for (const { path, value } of valuesOf(http)) {
    if ((values += 1) > MAX_VALUES) return `There must be at most ${MAX_VALUES} values.`;
    if (path.at(-1)!.length > MAX_NAME) return `A name must have at most ${MAX_NAME} characters.`;
    if (typeof value === 'string') placeholders += openingsIn(value);
    if (placeholders > MAX_PLACEHOLDERS)
      return `There must be at most ${MAX_PLACEHOLDERS} placeholders.`;
  }
  return null;
}

/** Counts what begins a placeholder, up to one more than is allowed. */
function openingsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('{{'); at !== -1 && count <= MAX_PLACEHOLDERS; count += 1)
    at = text.indexOf('{{', at + 2);
  return count;
}

interface Found {
  path: readonly string[];
  value: unknown;
}

const valuesOf = ({ url, query, headers, cookies = {}, body }: HttpTemplate) =>
  valuesIn({ url, query, headers, cookies, body }, []);

function* valuesIn(parent: object, path: readonly string[]): Generator<Found> {
  for (const [key, value] of Object.entries(parent) as [string, unknown][]) {
    const inner = [...path, key];
    yield { path: inner, value };
    if (typeof value === 'object' && value !== null) yield* valuesIn(value, inner);
  }
}
