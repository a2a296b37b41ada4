import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
} from 'fastify';
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

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request to `/mcp`. */
    mcp: {
      /** Returns the client's address. */
      address: McpRequest['address'];
      /** From `onRequest` on. */
      sender: Identified<AgentPrincipal> | null;
    };
  }
}

// For items that change while they are read; the same limit as for calls.
const RETRY_MS = 10_000;
const METHODS = ['POST', 'GET', 'DELETE'];
const CAPABILITY_SCOPES = 'mcp_tools mcp_resources mcp_prompts mcp_agents';

/** Creates `/mcp`: the checks of mcp.md 1 in order, then the protocol version. */
export function createMcpEndpoint(dependencies: McpEndpointDependencies) {
  const { requireOwnHost, allowsOrigin, modern, legacy, log } = dependencies;
  const contextIn = createContexts(dependencies);
  const challenges = challengesOf(dependencies.resourceMetadata);
  const identifyIn = (request: IncomingMessage) => () => dependencies.authenticate(request);

  /** `onRequest`: the sender, by the headers alone. */
  async function identify({ raw, mcp }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { method = '', headers } = raw;
    requireOwnHost(raw);
    checkFraming(raw.rawHeaders);
    checkOrigin(headers, allowsOrigin);
    if (headers.origin !== undefined) allowOrigin(reply.raw, headers.origin);
    if (method === 'OPTIONS' && headers.origin !== undefined)
      return sendPreflight(raw, reply.hijack().raw);
    if (!METHODS.includes(method)) return refuseMethod(reply.hijack().raw, METHODS);
    mcp.sender = await identifyNow(identifyIn(raw)).catch((error: unknown) => {
      if (asRefusal(error)?.code === 'authentication_required')
        dependencies.reportWithoutCredential(mcp.address);
      throw error;
    });
  }

  /** Parses content of every type. */
  async function parse({ raw, mcp }: FastifyRequest): Promise<unknown> {
    const { method = '', headers } = raw;
    if (method !== 'POST') return checkNoBody(headers);
    const { sender, body } = await readFrom(mcp.sender!, identifyIn(raw), () => readBody(raw));
    mcp.sender = sender;
    requireJsonType(raw.rawHeaders);
    checkAccept(method, headers.accept);
    return parseJsonBody(sender.caller.quota_owner.id, body);
  }

  async function respond(request: FastifyRequest, response: ServerResponse): Promise<void> {
    const { raw, id, mcp, body } = request;
    const { method = '', headers } = raw;
    const facts = { id, address: mcp.address };
    const contextOf = () => contextIn(raw, facts, { sender: mcp.sender!, body });
    if (method !== 'POST') {
      checkNoBody(headers);
      checkAccept(method, headers.accept);
      const version = headers['mcp-protocol-version'] as string | undefined;
      if (version !== undefined && version >= MODERN_VERSION)
        return refuseMethod(response, ['POST']);
      return legacy.handle(raw, response, await contextOf());
    }
    const route = routeMessage(body, headers);
    switch (route.to) {
      case 'modern':
        return await modern.handle(raw, response, await contextOf(), route);
      case 'legacy':
        return await legacy.handle(raw, response, await contextOf());
      case 'reject':
        return sendError(response, route.status, route.error, { id: route.id });
    }
  }

  function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
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
  }

  function headersOf(refusal: Refusal, request: IncomingMessage): Record<string, string> {
    if (refusal.kind === 'unauthenticated')
      return { 'WWW-Authenticate': challenges(request.headers) };
    return retryAfter(refusal.retryAfterSeconds);
  }

  return {
    /** Registers the endpoint. Its responses are written to the raw connection. */
    register(app: FastifyInstance): void {
      app.setErrorHandler((error, request, reply) => fail(error, request.raw, reply.hijack().raw));
      app.addHook('onRequest', identify);
      app.removeAllContentTypeParsers();
      app.addContentTypeParser('*', parse);
      // Clients are configured by hand, so a trailing slash is common.
      for (const url of ['/mcp', '/mcp/'])
        app.route({
          method: app.supportedMethods as HTTPMethods[],
          url,
          exposeHeadRoute: false,
          async handler(request, reply) {
            const { raw: response } = reply.hijack();
            try {
              // Fastify parses nothing if neither a type nor a length announces a body.
              if (request.method === 'POST' && request.body === undefined)
                request.body = await parse(request);
              await respond(request, response);
            } catch (error) {
              fail(error, request.raw, response);
            }
          },
        });
    },
  };
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
    { id, address }: { id: string; address: McpRequest['address'] },
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

/** Returns the refusal of a content type that Fastify cannot parse. */
function typeRefusal(error: unknown, { rawHeaders }: IncomingMessage): Refusal | null {
  if ((error as Partial<FastifyError>).statusCode !== 415) return null;
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
