import { asRefusal } from '../../platform/errors/outage.ts';
import type { Refusal } from '../../platform/errors/refusal.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Call, ProtocolError, Reply } from './call.ts';
import { HTTP_LAYER } from './http.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';

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
/** Returns the error for an outage: most clients show agents the message only, so it says what to do. */
export const unavailableError = ({ message }: Refusal): ProtocolError => ({
  code: INTERNAL_ERROR,
  message,
});
/** Only ends the call; for an ended session, the 2025 handler sends its own response. */
export const sessionEnded: ProtocolError = { code: -32001, message: 'Session not found' };
const notFound: ProtocolError = { code: METHOD_NOT_FOUND, message: 'Not found' };
// The 2026 version requires -32602 for a missing resource, and only for that.
const resourceNotFound: ProtocolError = { code: INVALID_PARAMS, message: 'Resource not found' };

/** An error that is sent unchanged, for the few codes that no refusal maps to. */
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

/** Returns the error for invalid params or arguments (-32602); `data` has a pointer for each. */
export const invalidParamsError = (issues: readonly Issue[]): ProtocolError => ({
  code: INVALID_PARAMS,
  // Most clients show agents the message only.
  message: `Invalid params: ${issues.slice(0, SHOWN_ISSUES).map(describe).join('; ')}`,
  data: { code: 'invalid_params', issues },
});

/** Creates the failure for invalid params or arguments. */
export const invalidParams = (issues: readonly Issue[]) =>
  new ProtocolFailure(invalidParamsError(issues));

/** Creates the failure of a read for a reason that its upstream gave or that is about it. */
export const upstreamFailed = ({
  code,
  message,
  details,
}: {
  code: ErrorCode;
  message: string;
  details?: object | undefined;
}) =>
  new ProtocolFailure({
    code: INTERNAL_ERROR,
    message,
    data: { code, ...(details === undefined ? {} : { details }) },
  });

const SHOWN_ISSUES = 3;
const describe = ({ pointer, message }: Issue) => `${pointer.slice(0, 100)} ${message}`.trim();

/** Creates a -32602 error with its own code, such as `invalid_cursor`. */
export const badParams = (code: ErrorCode, message: string) =>
  new ProtocolFailure({ code: INVALID_PARAMS, message, data: { code } });

/** Returns the result of a well-formed call that failed, with `isError` (mcp.md 9). */
export function toolError(code: ErrorCode, message: string, details?: unknown): Reply {
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

/** Returns the reply for a thrown error; unexpected errors are logged, and their details hidden. */
export function failureReply(error: unknown, call: Call, log: Log): Reply {
  if (error instanceof ProtocolFailure) return { error: error.error };
  const refusal = asRefusal(error);
  if (refusal === null) {
    log.error({ err: error, method: call.method }, 'MCP call failed with an internal error');
    return { error: internalError };
  }
  return replyToRefusal(refusal, call, log);
}

function replyToRefusal(refusal: Refusal, call: Call, log: Log): Reply {
  const isToolCall = call.method === 'tools/call';
  if (refusal.kind === 'unavailable') {
    log.warn(
      { err: refusal, method: call.method, reason: refusal.reason },
      'MCP call refused: a backing service is unavailable',
    );
    return unavailableReply(refusal);
  }
  if (refusal.kind === 'unauthenticated')
    return {
      error: { code: HTTP_LAYER, message: refusal.message, data: { code: refusal.code } },
      unauthenticated: refusal,
    };
  if (refusal.kind === 'malformed') return { error: malformedParams(refusal) };
  if (refusal.kind === 'limited' && !isToolCall) return limitedRead(refusal);
  // Except in tool calls, a denied item must look like one that does not exist.
  if (refusal.kind === 'absent' || !isToolCall) return { error: absentError(call) };
  return toolError(refusal.code, refusal.message, refusal.detail);
}

/** Returns the reply for an outage; without `retryAfterSeconds` if a change may have been saved. */
function unavailableReply(refusal: Refusal): Reply {
  const error = unavailableError(refusal);
  const { retryAfterSeconds } = refusal;
  return retryAfterSeconds === undefined ? { error } : { error, retryAfterSeconds };
}

const malformedParams = (refusal: Refusal): ProtocolError => ({
  code: INVALID_PARAMS,
  message: refusal.message,
  data: { code: refusal.code, issues: refusal.problems.map(issueOf) },
});

/** Returns the method's error for an item that does not exist or is not visible to the caller. */
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
