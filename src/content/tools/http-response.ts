import type { ToolContext } from '../../catalog/tool.ts';
import { ToolFailure } from '../../catalog/tool-failure.ts';
import type { OutboundResponse } from '../../platform/outbound/outbound.ts';
import { decodeText, isJsonType, isTextType } from '../../platform/http/text-body.ts';
import type { Redaction } from './redaction.ts';
import type { HttpTemplate } from './schema.ts';

const EXCERPT = 500;
const MOST_DEPTH = 100;

/** What a call answers: the status, and what the tool takes of the body. */
export interface HttpResult {
  status: number;
  result: unknown;
}

/** The result of an answer; throws `ToolFailure` for one that is an error or not as expected. */
export async function readAnswer(
  { status, headers, body }: OutboundResponse,
  { format, query }: HttpTemplate['response'],
  { redaction, context }: { redaction: Redaction; context: ToolContext },
): Promise<HttpResult> {
  const type = headers['content-type'] ?? '';
  const isText = type === '' || isTextType(type);
  const text = isText ? decodeText(body, type) : '';
  if (status < 200 || status >= 300) throw upstreamError(status, redaction.text(text));
  const asJson = format === 'json' || query !== null || (format === 'auto' && isJsonType(type));
  if (!isText && !asJson)
    throw new ToolFailure('not_text', `The answer is ${redaction.text(type)}, which is not text.`);
  if (!asJson) return { status, result: redaction.text(text) };

  const json = body.length === 0 ? null : parse(isText ? text : decodeText(body, type));
  const clean = redaction.json(json);
  return { status, result: query === null ? clean : await ask(clean, query, context) };
}

function upstreamError(status: number, text: string): ToolFailure {
  const excerpt = text.slice(0, EXCERPT).toWellFormed();
  return new ToolFailure('upstream_error', `The server answered with status ${status}.`, {
    status,
    ...(excerpt === '' ? {} : { excerpt }),
  });
}

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ToolFailure('invalid_response', 'The answer is not valid JSON.');
  }
  requireShallow(value);
  return value;
}

/** What walks the value recursively would run out of stack. */
function requireShallow(value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_DEPTH)
      throw new ToolFailure('invalid_response', 'The answer is nested too deeply.');
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
}

/** In a process that can be ended, as the catalogue's own JMESPath. */
async function ask(value: unknown, query: string, context: ToolContext): Promise<unknown> {
  const input = { json: JSON.stringify(value), query };
  const answer = await context.computers.compute(
    { tool: 'json_query', input, now: context.now() },
    context,
  );
  return (answer as { result: unknown }).result;
}
