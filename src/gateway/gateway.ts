import { finished, Readable } from 'node:stream';
import cookie from '@fastify/cookie';
import Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { always } from '../caller/once.ts';
import type { Reply, Route } from '../caller/route.ts';
import { headerValues } from '../platform/http/body.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/observability/log.ts';
import { createRequireOwnHost } from '../platform/http/own-host.ts';
import { createClientAddress } from './client-address.ts';
import type { ClientAddress } from './client-address.ts';
import { rejectBrokenFraming, refuseExpectation } from './broken-framing.ts';
import { envelope, toErrorResponse } from './errors.ts';
import { registerCors } from './cors.ts';
import { securityHeaders } from './security-headers.ts';
import { createHttpServer } from './server.ts';
import { isFromElsewhere } from './same-site.ts';
import type { Origins } from './same-site.ts';
import type { HttpServerDependencies } from './server.ts';
import { requireDeclaredAccess } from './access.ts';
import { requireOperationIds } from './operation-ids.ts';
import { methodsOf } from './methods.ts';
import type { SentReply } from './long-replies.ts';
import { requireDeclaredJob } from './job-replies.ts';
import { createPipeline } from './pipeline.ts';
import { requireDeclaredReauthentication } from './reauthentication.ts';
import type { PipelineDependencies } from './pipeline.ts';
import { registerPages, setCookies } from './pages.ts';
import type { Page } from './pages.ts';

export interface GatewayDependencies
  extends Omit<PipelineDependencies, 'shutdown'>, Omit<HttpServerDependencies, 'clientAddress'> {
  routes: readonly Route[];
  pages: readonly Page[];
  /** Routes outside the API: health, metrics, the reference, the authorization server. */
  plugins: readonly ((app: FastifyInstance) => void | Promise<void>)[];
  sessionCookie: string;
  /** Null if the dashboard is on the gateway's origin. */
  dashboardOrigin: string | null;
  publicUrl: string;
  trustedProxies: readonly string[];
  log: Log;
}

/** Creates the Fastify app: framing, routes, errors. It contains no domain logic. */
export async function createGateway(dependencies: GatewayDependencies): Promise<FastifyInstance> {
  const { log } = dependencies;
  const clientAddress = createClientAddress(dependencies.trustedProxies);
  const app = Fastify({
    logger: false,
    genReqId: () => newId(),
    bodyLimit: 2_097_152,
    // HEAD is answered by the route of GET, without the body.
    exposeHeadRoutes: true,
    serverFactory: (rest) => createHttpServer(rest, { ...dependencies, clientAddress }),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // The maximum size of a request head, so that an overlong id gets 404 (rel:B2-10), not 400.
    routerOptions: { maxParamLength: 16_384, caseSensitive: true, ignoreTrailingSlash: false },
    frameworkErrors: (error, _request, reply) => sendError(reply as FastifyReply, error, log),
    clientErrorHandler: rejectBrokenFraming,
  });
  closeConnectionsOnClose(app);
  await app.register(cookie);
  app.server.on('checkExpectation', refuseExpectation);
  app.removeAllContentTypeParsers();
  // Bodies are read by the pipeline, after authentication and in the documented order.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const guards = securityHeaders(dependencies.secureCookies);
  const requireOwnHost = createRequireOwnHost(dependencies.publicUrl);
  app.addHook('onRequest', async (request, reply) => {
    dependencies.tracing.route(request.method, request.routeOptions.url ?? 'unknown');
    reply.headers({ ...guards, 'x-request-id': request.id });
    requireOwnHost(request.raw);
  });
  registerCors(app, dependencies.dashboardOrigin);
  app.addHook('onResponse', async (request, reply) => {
    dependencies.observe({
      route: request.routeOptions.url ?? 'unknown',
      method: request.method,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    });
  });
  app.setErrorHandler((error, _request, reply) => sendError(reply, error, log));
  app.setNotFoundHandler((_request, reply) => sendError(reply, notFound, log));
  registerRoutes(app, dependencies, clientAddress);
  registerPages(app, {
    ...dependencies,
    factsOf: createFactsReader(clientAddress, dependencies.origins),
  });
  for (const plugin of dependencies.plugins)
    await app.register(async (scope) => {
      const declared: { url: string; method: string | string[] }[] = [];
      scope.addHook('onRoute', ({ url, method }) => void declared.push({ url, method }));
      await plugin(scope);
      const byUrl = Map.groupBy([...declared], ({ url }) => url);
      for (const [url, routes] of byUrl)
        refuseOtherMethods(scope, url, [
          ...new Set(routes.flatMap(({ method }) => method)).difference(HEAD),
        ]);
    });
  return app;
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

const notFound = Object.assign(new Error('no such route'), { statusCode: 404 });

function registerRoutes(
  app: FastifyInstance,
  dependencies: GatewayDependencies,
  clientAddress: ClientAddress,
): void {
  const shutdown = new AbortController();
  app.addHook('preClose', async () => shutdown.abort());
  const handleRequest = createPipeline({ ...dependencies, shutdown: shutdown.signal });
  const readIncoming = createIncomingReader(dependencies, clientAddress);
  requireOperationIds(dependencies.routes);
  const byPath = Map.groupBy(dependencies.routes, (route) => fastifyPath(route.path));
  for (const [url, routes] of byPath) {
    for (const route of routes) {
      requireDeclaredAccess(route);
      requireDeclaredReauthentication(route);
      requireDeclaredJob(route);
      app.route({
        method: route.method,
        url,
        async onRequest(request, reply) {
          const result = await handleRequest(route, readIncoming(request));
          await sendReply(reply, result, dependencies.secureCookies);
          return reply;
        },
        handler: () => {},
      });
    }
    refuseOtherMethods(
      app,
      url,
      routes.map(({ method }) => method),
    );
  }
}

/** Sends 405 for every method that a path does not support. */
function refuseOtherMethods(app: FastifyInstance, url: string, declared: readonly string[]): void {
  const { allowed, refused } = methodsOf(declared);
  if (refused.length === 0) return;
  app.route({
    method: refused,
    url,
    async onRequest(_request, reply) {
      const body = envelope('method_not_allowed', `Use ${declared.join(' or ')}.`);
      await reply.status(405).header('allow', allowed.join(', ')).send(body);
      return reply;
    },
    handler: () => {},
  });
}

const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Returns a function that extracts the pipeline's input from a request. */
function createIncomingReader(
  { sessionCookie, origins }: Pick<GatewayDependencies, 'sessionCookie' | 'origins'>,
  clientAddress: ClientAddress,
) {
  const factsOf = createFactsReader(clientAddress, origins);
  return (request: FastifyRequest) => ({
    raw: request.raw,
    credentials: {
      method: request.method,
      rawHeaders: request.raw.rawHeaders,
      cookie: request.cookies[sessionCookie],
    },
    params: request.params,
    query: request.query,
    facts: factsOf(request),
  });
}

const createFactsReader =
  (clientAddress: ClientAddress, origins: Origins) => (request: FastifyRequest) => {
    const { rawHeaders, socket } = request.raw;
    const header = (name: string) => headerValues(rawHeaders, name)[0] ?? null;
    return {
      id: request.id,
      address: clientAddress(socket.remoteAddress, rawHeaders),
      user_agent: header('user-agent')?.slice(0, 512) ?? null,
      cookies: request.cookies,
      if_match: header('if-match'),
      accept_language: header('accept-language'),
      from_elsewhere: isFromElsewhere(rawHeaders, origins),
      once: always,
    };
  };

async function sendReply(reply: FastifyReply, result: SentReply, secure: boolean): Promise<void> {
  setCookies(reply, result.cookies ?? [], secure);
  reply.status(result.status).headers(result.headers ?? {});
  if (result.pieces !== undefined) return sendPieces(reply, { ...result, pieces: result.pieces });
  if (result.body === undefined) await reply.send();
  else await reply.type('application/json').send(JSON.stringify(result.body));
}

// How long a client may go without reading.
const SILENCE_MS = 60_000;

/**
 * Streams a body. If that fails, the connection is closed, so that a partial body is not taken for
 * a complete one.
 */
async function sendPieces(
  reply: FastifyReply,
  {
    pieces,
    content_type = 'application/json',
    closed,
  }: SentReply & Required<Pick<Reply, 'pieces'>>,
): Promise<void> {
  reply.raw.setTimeout(SILENCE_MS, () => {
    reply.raw.destroy();
  });
  const stream = Readable.from(pieces, { highWaterMark: 1 });
  // Also if the client had gone before, or sent HEAD.
  finished(reply.raw, () => {
    stream.destroy();
    closed?.();
  });
  await reply.type(content_type).send(stream);
}

function sendError(reply: FastifyReply, error: unknown, log: Log): void {
  const response = toErrorResponse(error);
  if (response.defect)
    log.error(
      { err: error, request_id: reply.request.id },
      'request failed with an internal error',
    );
  else if (response.status === 503)
    log.warn(
      { err: error, request_id: reply.request.id },
      'request refused with 503: a backing service is unavailable',
    );
  reply
    .status(response.status)
    .headers({ 'cache-control': 'no-store', ...response.headers })
    .type('application/json')
    .send(JSON.stringify(response.body));
}
