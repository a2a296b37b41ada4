import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentPrincipal } from '../caller/principal.ts';
import { readIdentified } from '../caller/read-identified.ts';
import {
  INVALID_JSON,
  parseJsonStrictly,
  readBody,
  requireJsonType,
} from '../platform/http/body.ts';
import type { Log } from '../platform/observability/log.ts';
import { asRefusal } from '../platform/errors/outage.ts';
import { absent, httpStatus, Refusal } from '../platform/errors/refusal.ts';
import type { View, Visibility } from '../visibility/visibility.ts';
import { checkAccept, checkFraming, checkNoBody, checkOrigin } from './calls/checks.ts';
import type { Origins } from './calls/checks.ts';
import { MODERN_VERSION, routeMessage } from './protocol/era.ts';
import { INVALID_REQUEST, internalError, PARSE_ERROR } from './protocol/errors.ts';
import { HTTP_LAYER, sendEmpty, sendError } from './protocol/http.ts';
import type { Arrival, Leg } from './protocol/leg.ts';
import type { createModern } from './modern.ts';

export interface McpEndpointDependencies {
  /** Where OAuth clients learn the authorization server; null: there is none. */
  resourceMetadata: string | null;
  origins: Origins;
  /** Whom the request's credential stands for; reads headers alone. */
  authenticate(request: IncomingMessage): Promise<AgentPrincipal>;
  visibility: Pick<Visibility, 'view'>;
  modern: ReturnType<typeof createModern>;
  legacy: Leg;
  log: Log;
}

export interface McpEndpoint {
  /** Takes a raw request of which no body byte was read, and ends its response. */
  handle(request: IncomingMessage, response: ServerResponse, facts: RequestFacts): Promise<void>;
}

/** What the connection says of a request. */
interface RequestFacts {
  id: string;
  address: Arrival['address'];
}

const METHODS = ['POST', 'GET', 'DELETE'];
const CAPABILITY_SCOPES = 'mcp_tools mcp_resources mcp_prompts mcp_agents';

/** `/mcp` up to the leg: the checks of mcp.md 1 in their order, then the era. */
export function createMcpEndpoint(dependencies: McpEndpointDependencies): McpEndpoint {
  const { origins, modern, legacy, log, authenticate } = dependencies;
  const reach = createReach(dependencies);
  const challenges = challengesOf(dependencies.resourceMetadata);

  const handle: McpEndpoint['handle'] = (request, response, facts) =>
    answer(request, response, facts).catch((error: unknown) => fail(error, request, response));

  async function answer(request: IncomingMessage, response: ServerResponse, facts: RequestFacts) {
    const { method = '', headers } = request;
    checkFraming(request.rawHeaders);
    checkOrigin(headers, origins);
    if (headers.origin !== undefined) allowOrigin(response, headers.origin);
    if (method === 'OPTIONS' && headers.origin !== undefined)
      return sendPreflight(request, response);
    if (!METHODS.includes(method)) return refuseMethod(response, METHODS);

    const version = headers['mcp-protocol-version'] as string | undefined;
    const identify = () => authenticate(request);
    const arrivalOf = async (caller: AgentPrincipal, body?: unknown): Promise<Arrival> => ({
      request_id: facts.id,
      address: facts.address,
      caller,
      view: method === 'GET' || usesItems(body) ? await reach(request, caller) : null,
      async identify() {
        const now = await identify();
        return { caller: now, view: await reach(request, now) };
      },
      version: version ?? null,
      body,
    });
    if (method !== 'POST') {
      const caller = await identify();
      checkNoBody(headers);
      checkAccept(method, headers.accept);
      if (version !== undefined && version >= MODERN_VERSION)
        return refuseMethod(response, ['POST']);
      return legacy.handle(request, response, await arrivalOf(caller));
    }
    const { who, body: bytes } = await readIdentified(identify, () => readBody(request));
    requireJsonType(request.rawHeaders);
    checkAccept(method, headers.accept);
    const body = parseJsonStrictly(bytes);
    const route = routeMessage(body, headers);
    switch (route.to) {
      case 'modern':
        return await modern.handle(request, response, await arrivalOf(who, body), route);
      case 'legacy':
        return await legacy.handle(request, response, await arrivalOf(who, body));
      case 'reject':
        return sendError(response, route.status, route.error, { id: route.id });
    }
  }

  function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const refusal = asRefusal(error);
    if (refusal === null) log.error({ err: error }, 'a request on /mcp failed');
    if (response.headersSent) return void response.destroy();
    if (refusal === null) return sendError(response, 500, internalError);

    const status = statusOf(refusal);
    if (refusal.kind === 'unavailable') log.warn({ err: error }, 'refused for an outage');
    // Unread bytes of this body must not be taken for the next request.
    if (!request.complete) response.setHeader('Connection', 'close');
    sendError(response, status, errorOf(refusal), { headers: headersOf(refusal, request) });
  }

  function headersOf(refusal: Refusal, request: IncomingMessage): Record<string, string> {
    if (refusal.kind === 'unauthenticated')
      return { 'WWW-Authenticate': challenges(request.headers) };
    if (refusal.retryAfterSeconds === undefined) return {};
    return { 'Retry-After': String(Math.max(1, Math.ceil(refusal.retryAfterSeconds))) };
  }

  return { handle };
}

/** Whether a message asks for more than a sign of life: a notification and a response ask nothing. */
const usesItems = (body: unknown): boolean =>
  (Array.isArray(body) ? body : [body]).some(
    (message: unknown) =>
      typeof message === 'object' &&
      message !== null &&
      'method' in message &&
      'id' in message &&
      message.method !== 'ping',
  );

function createReach({ authenticate, visibility, log }: McpEndpointDependencies) {
  /** Returns what the principal reaches, null in an outage; throws if it may not be here at all. */
  return async function reach(
    request: IncomingMessage,
    caller: AgentPrincipal,
  ): Promise<View | null> {
    let view: View | null = null;
    try {
      view = await visibility.view(caller);
    } catch (error) {
      if (asRefusal(error)?.kind !== 'unavailable') throw error;
      log.warn({ err: error }, 'what a caller reaches is not known');
    }
    if (view !== null && !view.connected) {
      // Revoked since it was authenticated, it says so itself: 401, like every later request.
      await authenticate(request);
      // Only the credential is told: its person is no longer a member (A6).
      throw absent('the caller cannot connect');
    }
    return view;
  };
}

/**
 * Clients answer a Bearer challenge with an OAuth attempt, so a bad key gets none, and nobody does
 * while there is no authorization server.
 */
function challengesOf(resourceMetadata: string | null) {
  const bearer = `Bearer resource_metadata="${resourceMetadata}", scope="${CAPABILITY_SCOPES}"`;
  return (headers: IncomingMessage['headers']): string => {
    if (resourceMetadata === null || headers['x-api-key'] !== undefined)
      return 'ApiKey realm="toolgate"';
    return headers.authorization === undefined ? bearer : `${bearer}, error="invalid_token"`;
  };
}

const statusOf = (refusal: Refusal): number =>
  refusal.code === 'not_acceptable' ? 406 : httpStatus[refusal.kind];

function errorOf(refusal: Refusal) {
  const { code, message } = refusal;
  if (code === INVALID_JSON) return { code: PARSE_ERROR, message: 'Parse error' };
  if (code === 'invalid_body') return { code: INVALID_REQUEST, message };
  if (refusal.kind === 'unavailable') return internalError;
  return { code: HTTP_LAYER, message, data: { code } };
}

function refuseMethod(response: ServerResponse, allowed: readonly string[]): void {
  const error = {
    code: HTTP_LAYER,
    message: `Use ${allowed.join(', ')}.`,
    data: { code: 'method_not_allowed' },
  };
  sendError(response, 405, error, { headers: { Allow: allowed.join(', ') } });
}

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
  response.setHeader('Vary', 'Origin');
}

function sendPreflight(request: IncomingMessage, response: ServerResponse): void {
  const asked = request.headers['access-control-request-headers'];
  response.setHeader('Access-Control-Allow-Methods', METHODS.join(', '));
  if (asked !== undefined) response.setHeader('Access-Control-Allow-Headers', asked);
  response.setHeader('Access-Control-Max-Age', '600');
  sendEmpty(response, 204);
}
