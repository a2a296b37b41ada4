import type { ServerResponse } from 'node:http';
import type { MessageId, ProtocolError } from '../protocol/call.ts';
import { INVALID_REQUEST } from '../protocol/errors.ts';
import { HTTP_LAYER, sendError } from '../protocol/http.ts';
import type { SessionFault } from './sessions/session.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';

const httpLayerError = (code: ErrorCode, message: string): ProtocolError => ({
  code: HTTP_LAYER,
  message,
  data: { code },
});

const faults: Readonly<Record<SessionFault, { status: number; error: ProtocolError }>> = {
  // Identical bytes for sessions that are unknown, ended, or belong to another credential.
  gone: { status: 404, error: { code: -32001, message: 'Session not found' } },
  version_mismatch: {
    status: 400,
    error: httpLayerError(
      'version_mismatch',
      'MCP-Protocol-Version does not match the version of this session',
    ),
  },
  unknown: {
    status: 503,
    error: httpLayerError('service_unavailable', 'Temporarily unavailable. Try again shortly.'),
  },
};

export function refuseSession(
  response: ServerResponse,
  fault: SessionFault,
  id: MessageId = null,
): void {
  if (response.destroyed || response.headersSent) return;
  const { status, error } = faults[fault];
  const headers: Record<string, string> = status === 503 ? { 'Retry-After': '1' } : {};
  sendError(response, status, error, { id, headers });
}

export const missingSession = httpLayerError(
  'session_required',
  'A valid Mcp-Session-Id header is required',
);
export const tooManyStreams = httpLayerError(
  'limit_exceeded',
  'Too many open streams in this session',
);
export const alreadyInitialized: ProtocolError = {
  code: INVALID_REQUEST,
  message: 'The session is already initialized',
};
export const noBatch: ProtocolError = {
  code: INVALID_REQUEST,
  message: 'Send a single message; only 2025-03-26 sessions accept batches',
};
