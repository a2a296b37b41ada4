import type { Meaning } from './meaning.ts';

/** Errors of the MCP endpoint itself. */
export const mcpCodes = {
  invalid_params: {
    text: 'Params and arguments must match their schema: correct the problems listed in `issues`.',
    mcp: 'JSON-RPC error',
  },
  limit_exceeded: {
    text: 'A session may have only a limited number of streams and subscriptions: close one first.',
    mcp: ['HTTP 409', 'JSON-RPC error'],
  },
  not_acceptable: {
    text: 'Accept must include the media types listed in the message: add them.',
    mcp: 'HTTP 406',
  },
  origin_not_allowed: {
    text: 'The Origin header must name an allowed origin: add it to MCP_ORIGINS, or call from the deployment’s own pages.',
    mcp: 'HTTP 403',
  },
  repeated_header: { text: 'The named header must be sent only once.', mcp: 'HTTP 400' },
  session_not_accepted: {
    text: '`/mcp` accepts API keys and OAuth access tokens, not sessions: create a key and send it as X-API-Key, or authorize a client.',
    mcp: 'HTTP 403',
  },
  session_required: {
    text: 'A valid Mcp-Session-Id header is required: initialize a session first.',
    mcp: 'HTTP 400',
  },
  unexpected_body: { text: 'The method must not have a body: remove it.', mcp: 'HTTP 400' },
} as const satisfies Record<string, Meaning>;
