import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Route } from '../caller/route.ts';
import type { ErrorCode } from '../platform/errors/error-codes.ts';
import { parseJsonStrictly, readBody, requireJsonType } from '../platform/http/body.ts';
import { toJsonPointer } from '../platform/json/json-pointer.ts';
import { malformed } from '../platform/errors/refusal.ts';
import { shapeError } from '../platform/errors/shape-error.ts';

/**
 * Reads the body; throws 413, 415 or 400, checked in this order. An empty body is `{}` if the
 * schema has no required field.
 */
export async function readJsonBody(
  request: IncomingMessage,
  { body: schema, body_levels }: Pick<Route, 'body' | 'body_levels'>,
): Promise<unknown> {
  if (!schema) return undefined;
  const bytes = await readBody(request);
  if (bytes.length === 0 && schema.safeParse({}).success) return {};
  requireJsonType(request.rawHeaders);
  return parseJsonStrictly(bytes, body_levels);
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
