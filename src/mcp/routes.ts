import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRetry } from '../authz/authz.ts';
import type { AgentPrincipal } from '../caller/principal.ts';
import { identifyNow, readFrom } from '../caller/read-identified.ts';
import type { Identified } from '../caller/read-identified.ts';
import { requireNotSuspended } from '../caller/refusals.ts';
import { INVALID_JSON, parseJsonBody, readBody, requireJsonType } from '../platform/http/body.ts';
import type { RequireOwnHost } from '../platform/http/own-host.ts';
import type { Log } from '../platform/observability/log.ts';
import { asRefusal } from '../platform/errors/outage.ts';
import { absent, httpStatus, Refusal } from '../platform/errors/refusal.ts';
import type { Visibility } from '../visibility/visibility.ts';
import { checkAccept, checkFraming, checkNoBody, checkOrigin } from './calls/checks.ts';
import type { AllowsOrigin } from './calls/checks.ts';
import { stillAuthorized } from './protocol/authorization.ts';
import type { RereadableAuthorization } from './protocol/authorization.ts';
import { MODERN_VERSION, routeMessage } from './protocol/era.ts';
import {
  INVALID_REQUEST,
  internalError,
  PARSE_ERROR,
  unavailableError,
} from './protocol/errors.ts';
import { HTTP_LAYER, retryAfter, sendEmpty, sendError } from './protocol/http.ts';
import type { McpRequest, ProtocolHandler } from './protocol/handler.ts';
import type { createModern } from './modern.ts';

export interface McpEndpointDependencies {
  /** URL of the OAuth protected resource metadata; null without an authorization server. */
  resourceMetadata: string | null;
  requireOwnHost: RequireOwnHost;
  allowsOrigin: AllowsOrigin;
  /** Returns the principal of the request's credential; reads only headers. */
  authenticate(request: IncomingMessage): Promise<AgentPrincipal>;
  visibility: Pick<Visibility, 'view'>;
  /** Called for a client that sent no credential. Never throws or waits. */
  reportWithoutCredential(addressOf: () => string): void;
  modern: ReturnType<typeof createModern>;
  legacy: ProtocolHandler;
  log: Log;
}

/** Facts about a request that the HTTP server provides. */
interface RequestFacts {
  id: string;
  address: McpRequest['address'];
}

// For items that change while they are read; the same limit as for calls.
const RETRY_MS = 10_000;
const METHODS = ['POST', 'GET', 'DELETE'];
const CAPABILITY_SCOPES = 'mcp_tools mcp_resources mcp_prompts mcp_agents';

/** Creates the handler of `/mcp`: the checks of mcp.md 1 in order, then the protocol version. */
export function createMcpEndpoint(dependencies: McpEndpointDependencies) {
  const { requireOwnHost, allowsOrigin, modern, legacy, log, authenticate } = dependencies;
  const contextIn = createContexts(dependencies);
  const challenges = challengesOf(dependencies.resourceMetadata);

  /** Handles a raw request whose body is still unread, and ends its response. */
  const handle = (request: IncomingMessage, response: ServerResponse, facts: RequestFacts) =>
    respond(request, response, facts).catch((error: unknown) => {
      if (asRefusal(error)?.code === 'authentication_required')
        dependencies.reportWithoutCredential(facts.address);
      fail(error, request, response);
    });

  async function respond(request: IncomingMessage, response: ServerResponse, facts: RequestFacts) {
    const { method = '', headers } = request;
    requireOwnHost(request);
    checkFraming(request.rawHeaders);
    checkOrigin(headers, allowsOrigin);
    if (headers.origin !== undefined) allowOrigin(response, headers.origin);
    if (method === 'OPTIONS' && headers.origin !== undefined)
      return sendPreflight(request, response);
    if (!METHODS.includes(method)) return refuseMethod(response, METHODS);

    const version = headers['mcp-protocol-version'] as string | undefined;
    const identify = () => authenticate(request);
    const contextOf = (sender: Identified<AgentPrincipal>, body?: unknown) =>
      contextIn(request, facts, { sender, body });
    if (method !== 'POST') {
      const sender = await identifyNow(identify);
      checkNoBody(headers);
      checkAccept(method, headers.accept);
      if (version !== undefined && version >= MODERN_VERSION)
        return refuseMethod(response, ['POST']);
      return legacy.handle(request, response, await contextOf(sender));
    }
    const first = await identifyNow(identify);
    const { sender, body: bytes } = await readFrom(first, identify, () => readBody(request));
    requireJsonType(request.rawHeaders);
    checkAccept(method, headers.accept);
    const body = await parseJsonBody(sender.caller.quota_owner.id, bytes);
    const route = routeMessage(body, headers);
    switch (route.to) {
      case 'modern':
        return await modern.handle(request, response, await contextOf(sender, body), route);
      case 'legacy':
        return await legacy.handle(request, response, await contextOf(sender, body));
      case 'reject':
        return sendError(response, route.status, route.error, { id: route.id });
    }
  }

  function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const refusal = asRefusal(error);
    if (refusal === null) log.error({ err: error }, '/mcp request failed with an internal error');
    if (response.headersSent) return void response.destroy();
    if (refusal === null) return sendError(response, 500, internalError);

    const status = statusOf(refusal);
    if (refusal.kind === 'unavailable')
      log.warn({ err: error }, '/mcp request refused with 503: a backing service is unavailable');
    // Unread bytes of this body must not be parsed as the next request.
    if (!request.complete) response.setHeader('Connection', 'close');
    sendError(response, status, errorOf(refusal), { headers: headersOf(refusal, request) });
  }

  function headersOf(refusal: Refusal, request: IncomingMessage): Record<string, string> {
    if (refusal.kind === 'unauthenticated')
      return { 'WWW-Authenticate': challenges(request.headers) };
    return retryAfter(refusal.retryAfterSeconds);
  }

  return { handle };
}
export type McpEndpoint = ReturnType<typeof createMcpEndpoint>;

/** Returns whether any message is a request other than `ping`; only those may need items. */
const usesItems = (body: unknown): boolean =>
  (Array.isArray(body) ? body : [body]).some(
    (message: unknown) =>
      typeof message === 'object' &&
      message !== null &&
      'method' in message &&
      'id' in message &&
      message.method !== 'ping',
  );

/** Creates the function that returns what a protocol version needs to handle a request. */
function createContexts(dependencies: McpEndpointDependencies) {
  const { authenticate } = dependencies;
  const reach = createViewReader(dependencies);
  const retry = createRetry();

  return function contextIn(
    request: IncomingMessage,
    { id, address }: RequestFacts,
    { sender, body }: { sender: Identified<AgentPrincipal>; body: unknown },
  ): Promise<McpRequest> {
    const { method, headers } = request;
    const isConnected = method === 'GET' || usesItems(body);
    const identifyAgain = () => identifyNow(() => authenticate(request));
    const authorize: RereadableAuthorization['authorize'] = async ({ caller, read_at }) => ({
      caller,
      read_at,
      view: await reach(request, caller, isConnected),
    });
    const contextOf = async ({
      caller,
      read_at,
    }: Identified<AgentPrincipal>): Promise<McpRequest> => ({
      caller,
      read_at,
      view: await reach(request, caller, isConnected),
      request_id: id,
      address,
      body,
      identify: identifyAgain,
      authorize,
      version: (headers['mcp-protocol-version'] as string | undefined) ?? null,
    });
    return retry({
      attempt: async () => stillAuthorized(await contextOf(sender)),
      retry: async () => stillAuthorized(await contextOf(await identifyAgain())),
      contended: null,
      until: performance.now() + RETRY_MS,
    });
  };
}

function createViewReader({ authenticate, visibility, log }: McpEndpointDependencies) {
  /**
   * Returns a function that reads the principal's view. If the principal must be `connected`, reads
   * the view now and throws if it is not. In an outage, only the returned function throws.
   */
  return async function reach(
    request: IncomingMessage,
    caller: AgentPrincipal,
    connected = true,
  ): Promise<McpRequest['view']> {
    if (!connected) {
      requireNotSuspended(caller);
      return () => visibility.view(caller);
    }
    const reading = visibility.view(caller);
    const known = await reading.catch((error: unknown) => {
      if (asRefusal(error)?.kind !== 'unavailable') throw error;
      log.warn({ err: error }, 'could not read what a caller may access');
      return null;
    });
    if (known?.connected === false) {
      // Throws 401 if the credential was revoked in the meantime, as for every later request.
      await authenticate(request);
      // Otherwise the owner is no longer a member, which is revealed only to this credential (A6).
      throw absent('the caller may not connect');
    }
    requireNotSuspended(caller);
    return () => reading;
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

const statusOf = (refusal: Refusal): number =>
  refusal.code === 'not_acceptable' ? 406 : httpStatus[refusal.kind];

function errorOf(refusal: Refusal) {
  const { code, message } = refusal;
  if (code === INVALID_JSON) return { code: PARSE_ERROR, message: 'Parse error' };
  if (code === 'invalid_body') return { code: INVALID_REQUEST, message };
  if (refusal.kind === 'unavailable') return unavailableError(refusal);
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
  const requestedHeaders = request.headers['access-control-request-headers'];
  response.setHeader('Access-Control-Allow-Methods', METHODS.join(', '));
  if (requestedHeaders !== undefined)
    response.setHeader('Access-Control-Allow-Headers', requestedHeaders);
  response.setHeader('Access-Control-Max-Age', '600');
  sendEmpty(response, 204);
}
