import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RereadableAuthorization } from './authorization.ts';
import type { Call } from './call.ts';

/** Context of an `/mcp` request that passed the checks common to all versions (mcp.md 1). */
export interface McpRequest extends RereadableAuthorization {
  /** Id of the HTTP request, and of its call unless it is a batch. */
  request_id: string;
  address: Call['address'];
  /** Value of `MCP-Protocol-Version`. */
  version: string | null;
  /** Strictly parsed body of a POST; otherwise undefined. */
  body: unknown;
}

/**
 * Handles the requests of one protocol version. GET and DELETE have no body and no
 * `Content-Length`; `Accept` was checked for the method. A single message is well-formed JSON-RPC,
 * and so is each element of an array of 1 to 50; the handler checks whether the session accepts
 * batches.
 */
export interface ProtocolHandler {
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    context: McpRequest,
  ): Promise<void> | void;
}

/** Handler for `subscriptions/listen`; takes over the response and ends it itself. */
export type ListenHandler = (call: Call, response: ServerResponse) => Promise<void>;
