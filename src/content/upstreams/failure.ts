import { ConcurrentUpdate } from '../../authz/authz.ts';
import { ToolFailure, ToolDeleted } from '../../catalog/catalog.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import type { Redaction } from '../tools/redaction.ts';

const MAX_CHARACTERS = 500;

/** Creates the error for any failure of an upstream; its message is for people and agents. */
export const upstreamFailure = (message: string, details?: Record<string, unknown>) =>
  new ToolFailure('upstream_error', `The upstream MCP server ${message}`, details);

/**
 * Whether an upstream, or this gateway, rejected the call: the connection itself works. A caller
 * that is no longer authorized must not cost others their connection.
 */
export const isRejection = (error: unknown): boolean =>
  isRefusal(error) ||
  error instanceof ConcurrentUpdate ||
  error instanceof ToolDeleted ||
  (error instanceof ToolFailure && error.details?.['code'] !== undefined);

/**
 * Converts a client error into one that says what to do. The only text from the upstream that it
 * includes is the message of a protocol error, truncated and with secrets redacted.
 */
export async function asUpstreamFailure(
  error: unknown,
  redaction: Redaction,
): Promise<ToolFailure> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ToolFailure) return cause;
    if (cause instanceof OutboundError)
      return upstreamFailure(`could not be called. ${cause.message}`, { reason: cause.code });
    if (cause.name === 'TimeoutError') return upstreamFailure('did not respond in time.');
    const failure = await fromClientError(cause, redaction);
    if (failure !== null) return failure;
  }
  return upstreamFailure('sent an invalid MCP response.');
}

/** The upstream refused a request with this HTTP status. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

/** A JSON-RPC error of the upstream, like the SDK's class of the same name. */
export class ProtocolError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
  }
}

/** Fields of these errors and of the SDK's, whose classes are only loaded with its client. */
interface JsonRpcClientError extends Error {
  code?: unknown;
  status?: unknown;
}

async function fromClientError(
  { name, code, status, message }: JsonRpcClientError,
  redaction: Redaction,
) {
  if (code === 'REQUEST_TIMEOUT') return upstreamFailure('did not respond in time.');
  if (typeof status === 'number')
    return upstreamFailure(
      status === 401 || status === 403
        ? `rejected the credentials (HTTP ${status}). Check the headers of the upstream.`
        : `responded with HTTP ${status}.`,
      { status },
    );
  if (name === 'ProtocolError' && typeof code === 'number')
    return upstreamFailure(`returned an error: ${excerpt(await redaction.text(message))}`, {
      code,
    });
  return null;
}

const excerpt = (text: string) => text.slice(0, MAX_CHARACTERS).toWellFormed();
