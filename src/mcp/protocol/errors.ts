import { asRefusal } from '../../platform/errors/outage.ts';
import type { Refusal } from '../../platform/errors/refusal.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Call, ProtocolError, Reply } from './call.ts';

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

export const methodNotFound: ProtocolError = {
  code: METHOD_NOT_FOUND,
  message: 'Method not found',
};
export const internalError: ProtocolError = { code: INTERNAL_ERROR, message: 'Internal error' };
/** The leg answers a dead session in its own words; this only ends the call. */
export const sessionEnded: ProtocolError = { code: -32001, message: 'Session not found' };
const notFound: ProtocolError = { code: METHOD_NOT_FOUND, message: 'Not found' };
// The 2026 revision wants -32602 for a resource that is not there, and nothing else.
const resourceNotFound: ProtocolError = { code: INVALID_PARAMS, message: 'Resource not found' };

/** An error that is already what the wire says; for the few codes no refusal stands for. */
export class ProtocolFailure extends Error {
  readonly error: ProtocolError;
  constructor(error: ProtocolError) {
    super(error.message);
    this.name = 'ProtocolFailure';
    this.error = error;
  }
}

export interface Issue {
  pointer: string;
  message: string;
}

/** Params or arguments that do not fit (-32602); `data` names each place. */
export const invalidParams = (issues: readonly Issue[]) =>
  new ProtocolFailure({
    code: INVALID_PARAMS,
    message: 'Invalid params',
    data: { code: 'invalid_params', issues },
  });

/** -32602 with a code of its own: `invalid_cursor`, `limit_exceeded`. */
export const badParams = (code: string, message: string) =>
  new ProtocolFailure({ code: INVALID_PARAMS, message, data: { code } });

/** A failed well-formed call: a normal result that says so (mcp.md 9). */
export function toolError(code: string, message: string, details?: unknown): Reply {
  const error = details == null ? { code, message } : { code, message, details };
  const structuredContent = { error };
  return {
    result: {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
      isError: true,
    },
  };
}

/** What anything thrown while answering becomes; a defect is logged and never described. */
export function failureReply(error: unknown, call: Call, log: Log): Reply {
  if (error instanceof ProtocolFailure) return { error: error.error };
  const refusal = asRefusal(error);
  if (refusal === null) {
    log.error({ err: error, method: call.method }, 'defect while answering a call');
    return { error: internalError };
  }
  return replyToRefusal(refusal, call, log);
}

function replyToRefusal(refusal: Refusal, call: Call, log: Log): Reply {
  const isToolCall = call.method === 'tools/call';
  if (refusal.kind === 'unavailable') {
    log.warn({ err: refusal, method: call.method, reason: refusal.reason }, 'answer withheld');
    return { error: internalError };
  }
  if (refusal.kind === 'malformed') return { error: malformedParams(refusal) };
  if (refusal.kind === 'limited' && !isToolCall) return limitedRead(refusal);
  // Beside a tool call nothing tells a denied item from one that is not there.
  if (refusal.kind === 'absent' || !isToolCall) return { error: absentError(call) };
  return toolError(refusal.code, refusal.message, refusal.detail);
}

const malformedParams = (refusal: Refusal): ProtocolError => ({
  code: INVALID_PARAMS,
  message: refusal.message,
  data: { code: refusal.code, issues: refusal.problems.map(issueOf) },
});

/** Absent and foreign in the words of the method that was asked. */
const absentError = (call: Call): ProtocolError =>
  call.era === '2026' && call.method.startsWith('resources/') ? resourceNotFound : notFound;

const limitedRead = (refusal: Refusal): Reply => ({
  error: {
    code: INVALID_PARAMS,
    message: refusal.message,
    data: { code: 'rate_limited', ...(refusal.detail as object | null) },
  },
});

const issueOf = (problem: { message: string; detail: unknown }): Issue => {
  const detail = problem.detail as { pointer?: unknown } | null;
  const pointer = typeof detail?.pointer === 'string' ? detail.pointer : '';
  return { pointer, message: problem.message };
};
