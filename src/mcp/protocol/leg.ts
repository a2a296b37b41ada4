import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { View } from '../../visibility/visibility.ts';
import type { Call } from './call.ts';

/** A request on `/mcp` that passed the checks both eras share (mcp.md 1). */
export interface Arrival {
  /** Of the HTTP request, for the log. */
  request_id: string;
  address: Call['address'];
  caller: AgentPrincipal;
  /** Asks again who this is: what runs long after the first answer must not stand on it. */
  identify(): Promise<Pick<Arrival, 'caller' | 'view'>>;
  /** Null: the credential stands, but what it reaches could not be learned. */
  view: View | null;
  /** `MCP-Protocol-Version` as sent. */
  version: string | null;
  /** Strictly parsed; of POST alone, undefined otherwise. */
  body: unknown;
}

/**
 * Answers a request of one era. GET and DELETE have no body and no `Content-Length`; the `Accept`
 * of the method was checked. A single message is well-formed JSON-RPC, and so is each element of
 * an array of 1 to 50; whether the session takes arrays is the leg's to know.
 */
export interface Leg {
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    arrival: Arrival,
  ): Promise<void> | void;
}

/** `subscriptions/listen`: takes the response over and ends it itself. */
export type OpenListen = (call: Call, response: ServerResponse) => Promise<void>;
