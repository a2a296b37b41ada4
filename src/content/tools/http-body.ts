import { fileOf } from './file-argument.ts';
import { encodePairs } from './http-url.ts';
import { multipartOf, multipartParts } from './multipart.ts';
import { requireFew } from './request-size.ts';
import type { HttpTemplate, ValueEncoding } from './schema.ts';
import { isRecord } from './schema-walk.ts';
import { invalidArgument, renderJson, scalarText } from './template.ts';
import type { Values } from './template.ts';
import { encodingOf, pairsOf, requireDistinct } from './value-encoding.ts';
import type { Pair } from './value-encoding.ts';

export interface HttpBody {
  content: string | Uint8Array;
  /** Replaces the template's content type. */
  content_type: string | null;
}

/** Serializes the body as its `content-type` requires; null if its only argument is absent. */
export function bodyOf(http: HttpTemplate, values: Values): HttpBody | null {
  const value = renderJson(http.body, values);
  if (value === undefined) return null;
  const form = bodyForm(http.headers);
  if (form === 'json') return { content: JSON.stringify(value), content_type: null };
  if (form === 'text') return contentOf(value);
  const encodingOfField = (field: string) => encodingOf(http, 'body', field);
  const fields = Object.entries(fieldsOf(value));
  // A field whose argument is absent keeps its name.
  const declared = isRecord(http.body) ? Object.keys(http.body) : [];
  const writeFields = <Written extends { name: string }>(
    write: (name: string, field: unknown, encoding: ValueEncoding | undefined) => Written[],
  ): Written[] => {
    const parts = fields.map(([name, field]) => ({
      ...{ name, argument: name },
      written: write(name, field, encodingOfField(name)),
    }));
    const all = parts.flatMap(({ written }) => written);
    requireFew(all);
    requireDistinct(parts, declared);
    return all;
  };
  if (form === 'form') return { content: encodePairs(writeFields(formPairs)), content_type: null };
  const { body: content, content_type } = multipartOf(writeFields(multipartParts));
  return { content, content_type };
}

/** Returns text as it is, and a file's content with the media type that it names. */
function contentOf(value: unknown): HttpBody {
  const file = fileOf(value);
  return file === null
    ? { content: scalarText(value, 'body'), content_type: null }
    : { content: file.bytes, content_type: file.media_type };
}

/** Returns how the body is serialized, from the tool's literal `content-type`. */
export function bodyForm(headers: HttpTemplate['headers']): 'json' | 'form' | 'multipart' | 'text' {
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  const [type = '', ...parameters] = (header?.[1] ?? 'application/json').toLowerCase().split(';');
  if (/^[^/]+\/(?:.+\+)?json$/.test(type.trim())) return 'json';
  if (type.trim() === 'application/x-www-form-urlencoded') return 'form';
  // A template with its own boundary writes the parts itself.
  const hasBoundary = parameters.some((parameter) => parameter.trim().startsWith('boundary='));
  return type.trim() === 'multipart/form-data' && !hasBoundary ? 'multipart' : 'text';
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw invalidArgument('body', 'must be an object with the fields of the form');
}

const formPairs = (name: string, value: unknown, encoding: ValueEncoding | undefined): Pair[] =>
  encoding?.style === undefined
    ? plainPairs(name, value, encoding)
    : pairsOf(name, value, encoding, 'body');

/** An array repeats its field; an object becomes JSON, as OpenAPI says for fields without a style. */
function plainPairs(name: string, value: unknown, encoding: ValueEncoding = {}): Pair[] {
  if (Array.isArray(value)) return value.flatMap((element) => plainPairs(name, element, encoding));
  const isObject = typeof value === 'object' && value !== null;
  return pairsOf(name, value, isObject ? JSON_ENCODING : encoding, 'body');
}

const JSON_ENCODING: ValueEncoding = { content_type: 'application/json' };
