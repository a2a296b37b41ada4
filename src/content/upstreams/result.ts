import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Redaction } from '../tools/redaction.ts';
import { upstreamFailure } from './failure.ts';

const MAX_BYTES = 1_048_576;

/** The parts of a result that are forwarded; `_meta` is not, since it is meant for one hop. */
export interface UpstreamResult {
  content: readonly object[];
  structuredContent?: unknown;
  isError?: true;
}

/**
 * Returns the result with secrets redacted. Throws `ToolFailure` above 1 MB of JSON; `maxBytes` is
 * an upper limit of its size, if one is known.
 */
export async function resultOf(
  { content, structuredContent, isError }: CallToolResult,
  redaction: Redaction,
  maxBytes = Infinity,
): Promise<UpstreamResult> {
  const result = {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === true ? { isError } : {}),
  };
  requireSize(result, maxBytes);
  return (await redaction.json(result)) as UpstreamResult;
}

/** Throws `ToolFailure` above 1 MB of JSON; `maxBytes` is an upper limit of the size. */
export function requireSize(result: object, maxBytes: number): void {
  if (maxBytes > MAX_BYTES && Buffer.byteLength(JSON.stringify(result)) > MAX_BYTES)
    throw upstreamFailure('sent a response larger than 1 MB.');
}
