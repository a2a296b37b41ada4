import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Route } from '../caller/route.ts';
import type { ErrorCode } from '../platform/errors/error-codes.ts';
import {
  parseJsonStrictly,
  readBody,
  requireFormType,
  requireJsonType,
} from '../platform/http/body.ts';
import { toJsonPointer } from '../platform/json/json-pointer.ts';
import { malformed } from '../platform/errors/refusal.ts';
import { shapeError } from '../platform/errors/shape-error.ts';

/**
 * Reads the body; throws 413, 415 or 400, checked in this order. An empty body is `{}` if the
 * schema has no required field.
 */
export async function readRequestBody(
  request: IncomingMessage,
  { body: schema, body_levels, form_bytes }: Pick<Route, 'body' | 'body_levels' | 'form_bytes'>,
): Promise<unknown> {
  if (!schema) return undefined;
  if (form_bytes !== undefined) return readForm(request, form_bytes);
  const bytes = await readBody(request);
  if (bytes.length === 0 && schema.safeParse({}).success) return {};
  requireJsonType(request.rawHeaders);
  return parseJsonStrictly(bytes, body_levels);
}

const MAX_FIELDS = 20;

/** Reads a form, whose fields are texts, each once; throws 413, 415 or 400. */
async function readForm(request: IncomingMessage, limit: number): Promise<unknown> {
  const bytes = await readBody(request, { limit });
  requireFormType(request.rawHeaders);
  const fields = [...new URLSearchParams(bytes.toString('utf8'))];
  const names = new Set(fields.map(([name]) => name));
  if (fields.length > MAX_FIELDS || names.size < fields.length)
    throw malformed('invalid_body', `A form may have ${MAX_FIELDS} fields, each once.`);
  return Object.fromEntries(fields);
}

/** Returns the parsed value, or throws 400 with up to 20 problems, each with a JSON pointer. */
export function parseShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  code: ErrorCode,
): z.infer<Schema> {
  const parsed = schema.safeParse(value, { error: shapeError });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, 20).map((issue) => ({
    code,
    message: issue.message,
    detail: { pointer: toJsonPointer(issue.path) },
  }));
  throw malformed(code, 'The request is invalid.', { problems });
}
