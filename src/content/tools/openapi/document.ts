import { isRecord } from '../schema-walk.ts';
import type { ErrorCode } from '../../../platform/errors/error-codes.ts';

/** An OpenAPI document as it was sent; check the shape of each part before use. */
export interface OpenApiDocument {
  root: Record<string, unknown>;
  /** Whether the version is 3.0, which has its own schema dialect. */
  isVersion30: boolean;
}

/** The reason why one operation cannot be imported; the other operations are imported anyway. */
export class UnsupportedOperation extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the document, or null if it is neither OpenAPI 3.0 nor 3.1. */
export function openApiDocument(root: Record<string, unknown>): OpenApiDocument | null {
  const version = /^3\.([01])\.\d+/.exec(textOf(root['openapi']))?.[1];
  return version === undefined ? null : { root, isVersion30: version === '0' };
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
  const plain = value.replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, '').trim();
  return plain.length <= max ? plain : `${plain.slice(0, max - 1).toWellFormed()}…`;
}

/** Returns '' for anything but a string: `String` throws if `toString` is not a function. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {};
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
