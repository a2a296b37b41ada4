import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AgentPrincipal } from '../../caller/principal.ts';
import { identifyNow, readFrom } from '../../caller/read-identified.ts';
import type { Identified } from '../../caller/read-identified.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import { parseJsonBody, readBody, requireJsonType } from '../../platform/http/body.ts';
import type { RequireOwnHost } from '../../platform/http/own-host.ts';
import type { createModern } from '../modern.ts';
import { MODERN_VERSION, routeMessage } from '../protocol/era.ts';
import type { McpRequest, ProtocolHandler } from '../protocol/handler.ts';
import { sendError } from '../protocol/http.ts';
import { checkAccept, checkFraming, checkNoBody, checkOrigin } from './checks.ts';
import type { AllowsOrigin } from './checks.ts';
import { createContexts } from './contexts.ts';
import type { ContextsDependencies } from './contexts.ts';
import { allowOrigin, METHODS, refuseMethod, sendPreflight } from './method.ts';
import { createSendRefusal } from './refusals.ts';
import type { RefusalsDependencies } from './refusals.ts';

export interface McpEndpointDependencies extends ContextsDependencies, RefusalsDependencies {
  requireOwnHost: RequireOwnHost;
  allowsOrigin: AllowsOrigin;
  /** Called for a client that sent no credential. Never throws or waits. */
  reportWithoutCredential(addressOf: () => string): void;
  modern: ReturnType<typeof createModern>;
  legacy: ProtocolHandler;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** State of a request to `/mcp`. */
    mcp: {
      /** Returns the client's address. */
      address: McpRequest['address'];
      /** Set in `onRequest`. */
      sender: Identified<AgentPrincipal> | null;
    };
  }
}

/** Creates `/mcp`: the checks of mcp.md 1 in order, then the protocol version. */
export function createMcpEndpoint(dependencies: McpEndpointDependencies) {
  const { identify, parse } = createHooks(dependencies);
  const respond = createResponder(dependencies);
  const sendRefusal = createSendRefusal(dependencies);

  return {
    /** Registers the endpoint. Its responses are written to the raw connection. */
    register(app: FastifyInstance): void {
      app.setErrorHandler((error, request, reply) =>
        sendRefusal(error, request.raw, reply.hijack().raw),
      );
      app.addHook('onRequest', identify);
      app.removeAllContentTypeParsers();
      app.addContentTypeParser('*', parse);
      // Clients are configured by hand, so a trailing slash is common.
      for (const url of ['/mcp', '/mcp/'])
        app.route({
          method: app.supportedMethods,
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
              sendRefusal(error, request.raw, response);
            }
          },
        });
    },
  };
}
export type McpEndpoint = ReturnType<typeof createMcpEndpoint>;

/** Creates the hooks that find out who sent what. */
function createHooks(dependencies: McpEndpointDependencies) {
  const { requireOwnHost, allowsOrigin, authenticate } = dependencies;
  const identifyIn =
    ({ raw, id, mcp }: FastifyRequest) =>
    () =>
      authenticate(raw, { id, address: mcp.address });

  /** `onRequest`: the sender, by the headers alone. */
  async function identify(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { raw, mcp } = request;
    const { method = '', headers } = raw;
    requireOwnHost(raw);
    checkFraming(raw.rawHeaders);
    checkOrigin(headers, allowsOrigin);
    if (headers.origin !== undefined) allowOrigin(reply.raw, headers.origin);
    if (method === 'OPTIONS' && headers.origin !== undefined)
      return sendPreflight(raw, reply.hijack().raw);
    if (!METHODS.includes(method)) return refuseMethod(reply.hijack().raw, METHODS);
    mcp.sender = await identifyNow(identifyIn(request)).catch((error: unknown) => {
      if (asRefusal(error)?.code === 'authentication_required')
        dependencies.reportWithoutCredential(mcp.address);
      throw error;
    });
  }

  /** Parses content of every type. */
  async function parse(request: FastifyRequest): Promise<unknown> {
    const { raw, mcp } = request;
    const { method = '', headers } = raw;
    if (method !== 'POST') return checkNoBody(headers);
    const { sender, body } = await readFrom(mcp.sender!, identifyIn(request), () => readBody(raw));
    mcp.sender = sender;
    requireJsonType(raw.rawHeaders);
    checkAccept(method, headers.accept);
    return parseJsonBody(sender.caller.quota_owner.id, body);
  }

  return { identify, parse };
}

/** Creates the function that responds by the protocol version of the request. */
function createResponder(dependencies: McpEndpointDependencies) {
  const { modern, legacy } = dependencies;
  const contextIn = createContexts(dependencies);

  return async function respond(request: FastifyRequest, response: ServerResponse): Promise<void> {
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
  };
}
