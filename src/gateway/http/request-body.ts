import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Route } from '../../caller/route.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import {
  parseJsonBody,
  readBody,
  requireFormType,
  requireJsonType,
} from '../../platform/http/body.ts';
import { toJsonPointer } from '../../platform/json/json-pointer.ts';
import { malformed } from '../../platform/errors/refusal.ts';
import { shapeError } from '../../platform/errors/shape-error.ts';

/**
 * Reads the body; throws 413, 415 or 400, checked in this order. An empty body is `{}` if the
 * schema has no required field. Long bodies are parsed in turns that keys share fairly.
 */
export async function readRequestBody(
  request: IncomingMessage,
  { body: schema, body_levels, form_bytes }: Pick<Route, 'body' | 'body_levels' | 'form_bytes'>,
  fairnessKey: string,
): Promise<unknown> {
  if (!schema) return undefined;
  if (form_bytes !== undefined) return fieldsOf(await readForm(request, form_bytes));
  const bytes = await readBody(request);
  if (bytes.length === 0 && schema.safeParse({}).success) return {};
  requireJsonType(request.rawHeaders);
  return parseJsonBody(fairnessKey, bytes, body_levels);
}

/** Reads a form of up to `limit` bytes; throws 413, 415, or 400 if it is not UTF-8, in this order. */
export async function readForm(request: IncomingMessage, limit: number): Promise<URLSearchParams> {
  const bytes = await readBody(request, { limit });
  requireFormType(request.rawHeaders);
  try {
    return new URLSearchParams(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw malformed('invalid_body', 'The form must be UTF-8.');
  }
}

const MAX_FIELDS = 20;

/** Returns the fields of a form; throws 400 if there are too many, or one has several values. */
function fieldsOf(form: URLSearchParams): Record<string, string> {
  const fields = [...form];
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
