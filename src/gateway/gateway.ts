import cookie from '@fastify/cookie';
import Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Tracing } from '../platform/observability/tracing.ts';
import { absent } from '../platform/errors/refusal.ts';
import { createBeginRequest } from './http/begin-request.ts';
import type { BeginRequest, BeginRequestDependencies } from './http/begin-request.ts';
import { createClientAddress } from './http/client-address.ts';
import type { ClientAddress } from './http/client-address.ts';
import { rejectBrokenFraming, refuseExpectation } from './http/broken-framing.ts';
import { envelope, toErrorResponse } from './http/errors.ts';
import { CutOffLog, logFailure } from './http/failures.ts';
import { createFactsReader } from './http/facts.ts';
import { createHttpServer } from './http/server.ts';
import { registerMcp } from './mcp-route.ts';
import type { McpRouteDependencies } from './mcp-route.ts';
import { methodsOf } from './http/methods.ts';
import { registerPages } from './pages/pages.ts';
import type { Page } from './pages/pages.ts';
import { registerRest } from './rest/rest.ts';
import type { RestDependencies } from './rest/rest.ts';
import { sendScimError } from './scim.ts';

type Plugin = (app: FastifyInstance) => void | Promise<void>;

export interface GatewayDependencies
  extends
    Omit<RestDependencies, 'factsOf'>,
    Omit<McpRouteDependencies, 'clientAddress'>,
    BeginRequestDependencies {
  pages: readonly Page[];
  /** Routes outside the API: health, metrics, the reference, the authorization server. */
  plugins: readonly Plugin[];
  trustedProxies: readonly string[];
  tracing: Pick<Tracing, 'requests' | 'route'>;
}

/** Creates the Fastify app: framing, routes, errors. It contains no domain logic. */
export async function createGateway(dependencies: GatewayDependencies): Promise<FastifyInstance> {
  const { log } = dependencies;
  const clientAddress = createClientAddress(dependencies.trustedProxies);
  const beginRequest = createBeginRequest(dependencies);
  const refuseUnrouted = createRefuseUnrouted(beginRequest, log);
  const app = Fastify({
    logger: false,
    logController: new CutOffLog(log),
    genReqId: () => newId(),
    // HEAD is answered by the route of GET, without the body.
    exposeHeadRoutes: true,
    serverFactory: (handle) => createHttpServer(handle, dependencies.tracing),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // The maximum size of a request head, so that an overlong id gets 404 (rel:B2-10), not 400.
    routerOptions: { maxParamLength: 16_384, caseSensitive: true, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) =>
      void refuseUnrouted(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: rejectBrokenFraming,
  });
  closeConnectionsOnClose(app);
  app.server.on('checkExpectation', refuseExpectation);
  app.removeAllContentTypeParsers();
  // No body is read before a route of a plugin reads it, in the documented order.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setErrorHandler((error, _request, reply) => sendError(reply, error, log));
  await app.register(async (scope) => registerMcp(scope, { ...dependencies, clientAddress }));
  await app.register((scope) =>
    registerOthers(scope, { ...dependencies, clientAddress, beginRequest }),
  );
  return app;
}

/**
 * Creates the function that answers a request whose path Fastify cannot decode: it calls no hook, and
 * no error handler.
 */
function createRefuseUnrouted(beginRequest: BeginRequest, log: Log) {
  return async function refuseUnrouted(
    unreadable: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const send = request.url.startsWith('/scim/') ? sendScimError : sendError;
    try {
      await beginRequest(request, reply);
      if (!reply.sent) send(reply, unreadable, log);
    } catch (error) {
      send(reply, error, log);
    }
  };
}

/** Registers all but `/mcp`, with the hooks that they share. */
async function registerOthers(
  app: FastifyInstance,
  dependencies: GatewayDependencies & { clientAddress: ClientAddress; beginRequest: BeginRequest },
): Promise<void> {
  await app.register(cookie);
  app.addHook('onRequest', dependencies.beginRequest);
  app.setNotFoundHandler((_request, reply) =>
    sendError(reply, absent('no such route'), dependencies.log),
  );
  const factsOf = createFactsReader(dependencies.clientAddress, dependencies.origins);
  const plugins: readonly Plugin[] = [
    (scope) => registerRest(scope, { ...dependencies, factsOf }),
    (scope) => registerPages(scope, { ...dependencies, factsOf }),
    ...dependencies.plugins,
  ];
  for (const plugin of plugins) {
    const declared: { url: string; method: string | string[] }[] = [];
    await app.register(async (scope) => {
      scope.addHook('onRoute', ({ url, method }) => void declared.push({ url, method }));
      await plugin(scope);
    });
    const byUrl = Map.groupBy(declared, ({ url }) => url);
    for (const [url, routes] of byUrl)
      refuseOtherMethods(app, url, [
        ...new Set(routes.flatMap(({ method }) => method)).difference(HEAD),
      ]);
  }
}

// Added by Fastify to every GET, and reported to `onRoute` like a declared method.
const HEAD = new Set(['HEAD']);

const CLOSING_MS = 100;

/** Closes connections at shutdown: Node closes idle ones only once, and takes unused for active. */
function closeConnectionsOnClose(app: FastifyInstance): void {
  const unused = new Set<Socket>();
  app.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => void unused.delete(socket));
  });
  app.server.on('request', (request) => void unused.delete(request.socket));
  app.addHook('preClose', async () => {
    // A CLI command composes the service without listening; Fastify closes only its own servers.
    if (!app.server.listening) {
      app.server.close();
      return;
    }
    for (const socket of unused) socket.destroy();
    // Otherwise connections whose response ends later would be kept alive for another request.
    const closeTimer = setInterval(() => app.server.closeIdleConnections(), CLOSING_MS);
    app.server.once('close', () => clearInterval(closeTimer));
  });
}

/** Sends 405 for every method that a path does not support. */
function refuseOtherMethods(app: FastifyInstance, url: string, declared: readonly string[]): void {
  const { allowed, refused } = methodsOf(declared, app.supportedMethods);
  if (refused.length === 0) return;
  app.route({
    method: refused,
    url,
    // Before Fastify looks at the content type.
    async onRequest(_request, reply) {
      const body = envelope('method_not_allowed', `Use ${declared.join(' or ')}.`);
      return reply.status(405).header('allow', allowed.join(', ')).send(body);
    },
    handler: () => {},
  });
}

function sendError(reply: FastifyReply, error: unknown, log: Log): void {
  const response = toErrorResponse(error);
  const request_id = reply.request.id;
  logFailure(log, error, { request_id, what: 'request', outcome: 'refused with 503' });
  reply
    .status(response.status)
    .headers({ 'cache-control': 'no-store', ...response.headers })
    .type('application/json')
    .send(JSON.stringify(response.body));
}
