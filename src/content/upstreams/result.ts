import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Redaction } from '../tools/redaction.ts';
import { upstreamFailure } from './failure.ts';

const MOST_BYTES = 1_048_576;

/** What passes on of a result: not its `_meta`, which is between two neighbours. */
export interface UpstreamResult {
  content: readonly object[];
  structuredContent?: unknown;
  isError?: true;
}

/** A result as the upstream's tool gave it, at most 1 MB of it as JSON, without what was sent. */
export function resultOf(
  { content, structuredContent, isError }: CallToolResult,
  redaction: Redaction,
): UpstreamResult {
  const result = {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === true ? { isError } : {}),
  };
  if (Buffer.byteLength(JSON.stringify(result)) > MOST_BYTES)
    throw upstreamFailure('answered with more than 1 MB.');
  return redaction.json(result) as UpstreamResult;
}
