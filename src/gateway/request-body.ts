import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Route } from '../caller/route.ts';
import type { ErrorCode } from '../platform/errors/error-codes.ts';
import { parseJsonStrictly, readBody, requireJsonType } from '../platform/http/body.ts';
import { toJsonPointer } from '../platform/json/json-pointer.ts';
import { malformed } from '../platform/errors/refusal.ts';

/** Reads the body: 413, then 415, then 400. A zero-length body of an endpoint without a required field is `{}`. */
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

/** The value in its schema's shape, or one problem per fault with a pointer to it. */
export function parseShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  code: ErrorCode,
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, 20).map((issue) => ({
    code,
    message: issue.message,
    detail: { pointer: toJsonPointer(issue.path) },
  }));
  throw malformed(code, 'The request does not fit the format.', { problems });
}
