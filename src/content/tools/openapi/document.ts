import { isRecord } from '../schema-walk.ts';
import type { ErrorCode } from '../../../platform/errors/error-codes.ts';

/** An OpenAPI document as it was sent; check the shape of each part before use. */
export interface OpenApiDocument {
  root: Readonly<Record<string, unknown>>;
  /** Whether the version is 3.0, which has its own schema dialect. */
  isVersion30: boolean;
  /** Its own URL, if it was imported by it. */
  url: string | undefined;
  /** How many more schemas and properties the import may visit; see `charge`. */
  budget: { remaining: number };
}

/** A hundred tools of the largest schemas, each written at every depth, need fewer. */
const MAX_VISITS = 1_000_000;

/** The reason why one operation cannot be imported; the other operations are imported anyway. */
export class UnsupportedOperation extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A part of an operation that its tool lacks; the operation is imported without it. */
export interface ImportWarning {
  operation: string;
  code: ErrorCode;
  message: string;
  /** JSON Pointer into the document. */
  detail: { pointer: string };
}

/** One operation of a document, and how it reports what its tool lacks. */
export interface Operation {
  document: OpenApiDocument;
  /** JSON Pointer of the path item, and the key of the operation in it. */
  pathPointer: string;
  key: string;
  path: Readonly<Record<string, unknown>>;
  operation: Readonly<Record<string, unknown>>;
  warn(code: ErrorCode, message: string, pointer: string): void;
}

/** Returns the document, or null if it is neither OpenAPI 3.0 nor 3.1. */
export function openApiDocument(
  root: Readonly<Record<string, unknown>>,
  url?: string,
): OpenApiDocument | null {
  const version = /^3\.([01])\.\d+/.exec(textOf(root['openapi']))?.[1];
  return version === undefined
    ? null
    : {
        root,
        isVersion30: version === '0',
        url,
        budget: { remaining: MAX_VISITS },
      };
}

/**
 * Counts visits of schemas and properties. References let a small document repeat large parts, so
 * an import is bounded by what it visits; beyond that, the remaining operations are skipped.
 */
export function charge({ budget }: OpenApiDocument, visits = 1): void {
  budget.remaining -= visits;
  if (budget.remaining < 0)
    throw new UnsupportedOperation(
      'too_large',
      'The document repeats its schemas too often to be read completely: import fewer operations.',
    );
}

/** Wraps a function of one schema, so that it runs only once for each schema of a document. */
export function oncePerSchema<T>(
  compute: (document: OpenApiDocument, schema: Readonly<Record<string, unknown>>) => T,
): typeof compute {
  const results = new WeakMap<OpenApiDocument, WeakMap<object, { value: T }>>();
  return (document, schema) => {
    const known = results.get(document) ?? new WeakMap<object, { value: T }>();
    results.set(document, known);
    const result = known.get(schema) ?? { value: compute(document, schema) };
    known.set(schema, result);
    return result.value;
  };
}

const MAX_STEPS = 20;

/** Resolves a local `$ref`; returns the value itself if it has none. */
export function resolveRef({ root }: OpenApiDocument, value: unknown): Record<string, unknown> {
  let found = value;
  for (let step = 0; isRecord(found) && typeof found['$ref'] === 'string'; step += 1) {
    if (step === MAX_STEPS)
      throw new UnsupportedOperation('invalid_reference', 'A `$ref` is circular.');
    found = lookUp(root, found['$ref']);
  }
  if (!isRecord(found))
    throw new UnsupportedOperation(
      'invalid_document',
      'A part of the operation must be an object.',
    );
  return found;
}

function lookUp(root: unknown, ref: string): unknown {
  const [, pointer] = /^#(\/.*)$/.exec(ref) ?? [];
  if (pointer === undefined)
    throw new UnsupportedOperation(
      'invalid_reference',
      `The document does not contain ${ref.slice(0, 200)}.`,
    );
  return pointer
    .slice(1)
    .split('/')
    .map((part) => decodePart(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((value: unknown, key) => {
      if (typeof value === 'object' && value !== null && Object.hasOwn(value, key))
        return (value as Record<string, unknown>)[key];
      throw new UnsupportedOperation(
        'invalid_reference',
        `The document does not contain ${ref.slice(0, 200)}.`,
      );
    }, root);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Prepares text of the document for agents: shortens it and removes invisible characters. */
export function plainText(value: unknown, max: number): string {
  if (typeof value !== 'string') return '';
  // References can repeat a long text often.
  const plain = value
    .slice(0, 10 * max)
    .replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, '')
    .trim();
  return plain.length <= max ? plain : `${plain.slice(0, max - 1).toWellFormed()}…`;
}

/** Returns '' for anything but a string: `String` throws if `toString` is not a function. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {};
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
