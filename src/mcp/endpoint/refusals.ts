import type { IncomingMessage, ServerResponse } from 'node:http';
import { asRefusal } from '../../platform/errors/outage.ts';
import { httpStatus } from '../../platform/errors/refusal.ts';
import type { Refusal } from '../../platform/errors/refusal.ts';
import { INVALID_JSON, requireJsonType } from '../../platform/http/body.ts';
import type { Log } from '../../platform/observability/log.ts';
import {
  INVALID_REQUEST,
  internalError,
  PARSE_ERROR,
  unavailableError,
} from '../protocol/errors.ts';
import { HTTP_LAYER, retryAfter, sendError } from '../protocol/http.ts';

export interface RefusalsDependencies {
  /** URL of the OAuth protected resource metadata; null without an authorization server. */
  resourceMetadata: string | null;
  log: Log;
}

const CAPABILITY_SCOPES = 'mcp_tools mcp_resources mcp_prompts mcp_agents';

/** Creates the function that answers a request with its error, or closes a response that has begun. */
export function createSendRefusal({ resourceMetadata, log }: RefusalsDependencies) {
  const challenges = challengesOf(resourceMetadata);

  function headersOf(refusal: Refusal, request: IncomingMessage): Record<string, string> {
    if (refusal.kind === 'unauthenticated')
      return { 'WWW-Authenticate': challenges(request.headers) };
    return retryAfter(refusal.retryAfterSeconds);
  }

  return function sendRefusal(
    error: unknown,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const refusal = asRefusal(error) ?? typeRefusal(error, request);
    if (refusal === null) log.error({ err: error }, '/mcp request failed with an internal error');
    if (response.headersSent) return void response.destroy();
    if (refusal === null) return sendError(response, 500, internalError);

    const status = statusOf(refusal);
    if (refusal.kind === 'unavailable')
      log.warn({ err: error }, '/mcp request refused with 503: a backing service is unavailable');
    // Unread bytes of this body must not be parsed as the next request.
    if (!request.complete) response.setHeader('Connection', 'close');
    sendError(response, status, errorOf(refusal), { headers: headersOf(refusal, request) });
  };
}

/**
 * Returns the `WWW-Authenticate` value. Clients respond to a Bearer challenge by starting OAuth, so
 * none is sent for an invalid key, or if there is no authorization server.
 */
function challengesOf(resourceMetadata: string | null) {
  const bearer = `Bearer resource_metadata="${resourceMetadata}", scope="${CAPABILITY_SCOPES}"`;
  return (headers: IncomingMessage['headers']): string => {
    if (resourceMetadata === null || headers['x-api-key'] !== undefined)
      return 'ApiKey realm="toolgate"';
    return headers.authorization === undefined ? bearer : `${bearer}, error="invalid_token"`;
  };
}

/** Returns the refusal of a content type that Fastify cannot parse. */
function typeRefusal(error: unknown, { rawHeaders }: IncomingMessage): Refusal | null {
  if (Object(error).code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return null;
  try {
    requireJsonType(rawHeaders);
    return null;
  } catch (refusal) {
    return asRefusal(refusal);
  }
}

const statusOf = (refusal: Refusal): number =>
  refusal.code === 'not_acceptable' ? 406 : httpStatus[refusal.kind];

function errorOf(refusal: Refusal) {
  const { code, message } = refusal;
  if (code === INVALID_JSON) return { code: PARSE_ERROR, message: 'Parse error' };
  if (code === 'invalid_body') return { code: INVALID_REQUEST, message };
  if (refusal.kind === 'unavailable') return unavailableError(refusal);
  return { code: HTTP_LAYER, message, data: { code } };
}
