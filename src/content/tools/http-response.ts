import type { ToolContext } from '../../catalog/tool.ts';
import { ToolFailure } from '../../catalog/tool-failure.ts';
import type { OutboundResponse } from '../../platform/outbound/outbound.ts';
import { decodeText, isJsonType, isTextType } from '../../platform/http/text-body.ts';
import type { Redaction } from './redaction.ts';
import type { HttpTemplate } from './schema.ts';

const EXCERPT = 500;
const MAX_DEPTH = 100;

/** Result of a call: the status, and the part of the body that the tool's template selects. */
export interface HttpResult {
  status: number;
  result: unknown;
}

/** Converts a response into a result; throws `ToolFailure` for an error or an unexpected format. */
export async function readResponse(
  { status, headers, body }: OutboundResponse,
  { format, query }: HttpTemplate['response'],
  { redaction, context }: { redaction: Redaction; context: ToolContext },
): Promise<HttpResult> {
  const type = headers['content-type'] ?? '';
  const isText = type === '' || isTextType(type);
  const text = isText ? decodeText(body, type) : '';
  if (status < 200 || status >= 300) throw upstreamError(status, redaction.text(text));
  const isJson = format === 'json' || query !== null || (format === 'auto' && isJsonType(type));
  if (!isText && !isJson)
    throw new ToolFailure('not_text', `The response is ${redaction.text(type)}, not text.`);
  if (!isJson) return { status, result: redaction.text(text) };

  const json = body.length === 0 ? null : parse(isText ? text : decodeText(body, type));
  const redacted = redaction.json(json);
  return { status, result: query === null ? redacted : await evaluate(redacted, query, context) };
}

function upstreamError(status: number, text: string): ToolFailure {
  const excerpt = text.slice(0, EXCERPT).toWellFormed();
  return new ToolFailure('upstream_error', `The server responded with status ${status}.`, {
    status,
    ...(excerpt === '' ? {} : { excerpt }),
  });
}

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ToolFailure('invalid_response', 'The response is not valid JSON.');
  }
  requireShallow(value);
  return value;
}

/** Rejects deep nesting, which would overflow the stack of recursive code. */
function requireShallow(value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH)
      throw new ToolFailure('invalid_response', 'The response is nested too deeply.');
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
}

/** Evaluates JMESPath in a worker process that can be killed, like the catalog's `json_query`. */
async function evaluate(value: unknown, query: string, context: ToolContext): Promise<unknown> {
  const input = { json: JSON.stringify(value), query };
  const output = await context.workers.compute(
    { tool: 'json_query', input, now: context.now() },
    context,
  );
  return (output as { result: unknown }).result;
}
