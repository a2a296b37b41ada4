import type { CallToolResult } from '@modelcontextprotocol/client';
import { upstreamFailure } from './failure.ts';

const MOST_BYTES = 1_048_576;

/** What passes on of a result: not its `_meta`, which is between two neighbours. */
export interface UpstreamResult {
  content: readonly object[];
  structuredContent?: unknown;
  isError?: true;
}

/** A result as the upstream's tool gave it, at most 1 MB of it as JSON. */
export function resultOf({ content, structuredContent, isError }: CallToolResult): UpstreamResult {
  const result: UpstreamResult = {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === true ? { isError } : {}),
  };
  if (Buffer.byteLength(JSON.stringify(result)) > MOST_BYTES)
    throw upstreamFailure('answered with more than 1 MB.');
  return result;
}
