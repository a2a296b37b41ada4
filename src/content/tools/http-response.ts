import type { ToolContext } from '../../catalog/catalog.ts';
import { ToolFailure } from '../../catalog/catalog.ts';
import type { OutboundResponse } from '../../platform/outbound/outbound.ts';
import { decodeText, isJsonType, isTextType } from '../../platform/http/text-body.ts';
import { inTurns } from '../../platform/concurrency/turns.ts';
import { structureFault } from '../../platform/json/structure.ts';
import type { Redaction } from './redaction.ts';
import type { HttpTemplate } from './schema.ts';

const EXCERPT = 500;
const LIMITS = { levels: 100, marks: 200_000, shapes: 10_000 };

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
  if (status < 200 || status >= 300) throw upstreamError(status, await redaction.text(text));
  const isJson = format === 'json' || query !== null || (format === 'auto' && isJsonType(type));
  if (!isText && !isJson)
    throw new ToolFailure('not_text', `The response is ${await redaction.text(type)}, not text.`);
  if (!isJson) return { status, result: await redaction.text(text) };

  const json =
    body.length === 0 ? null : await parse(isText ? text : decodeText(body, type), context);
  const redacted = await redaction.json(json);
  return { status, result: query === null ? redacted : await evaluate(redacted, query, context) };
}

function upstreamError(status: number, text: string): ToolFailure {
  const excerpt = text.slice(0, EXCERPT).toWellFormed();
  return new ToolFailure('upstream_error', `The server responded with status ${status}.`, {
    status,
    ...(excerpt === '' ? {} : { excerpt }),
  });
}

async function parse(
  text: string,
  { fairnessKey }: Pick<ToolContext, 'fairnessKey'>,
): Promise<unknown> {
  const fault = await inTurns(fairnessKey, structureFault(text, LIMITS));
  if (fault === 'levels')
    throw new ToolFailure('invalid_response', 'The response is nested too deeply.');
  if (fault !== null)
    throw new ToolFailure(
      'too_large',
      'The response has too many values, or too many different objects.',
    );
  try {
    return JSON.parse(text);
  } catch {
    throw new ToolFailure('invalid_response', 'The response is not valid JSON.');
  }
}

/** Evaluates JMESPath in a worker process that can be killed, like the catalog's `json_query`. */
async function evaluate(value: unknown, query: string, context: ToolContext): Promise<unknown> {
  const input = { json: JSON.stringify(value), query };
  const output = await context.workers.compute(
    { tool: 'json_query', input, now: context.now() },
    // The request has been made, so its result is returned.
    {
      signal: context.signal,
      fairnessKey: context.fairnessKey,
      requirePermitted: async () => {},
    },
  );
  return (output as { result: unknown }).result;
}
