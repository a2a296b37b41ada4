import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { headerValues, readBody, requireFormType } from '../../platform/http/body.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import { httpStatus, Refusal } from '../../platform/errors/refusal.ts';
import type { Log } from '../../platform/observability/log.ts';
import { errorPage } from './error-page.ts';
import type { PageReason } from './error-page.ts';
import {
  RESOURCE_METADATA_PATH,
  resourceMetadata,
  SERVER_METADATA_PATH,
  serverMetadata,
} from './metadata.ts';
import type { AuthorizationServer } from './server.ts';

/** A form has a code or a token, its verifier and a secret: a few kilobytes. */
const FORM_BYTES = 65_536;
/** An authorization request has a dozen. */
const MAX_PARAMETERS = 100;

export interface RoutesDependencies {
  clientAddress: (remote: string | undefined, rawHeaders: readonly string[]) => string;
  log: Pick<Log, 'error'>;
}

/** Registers the endpoints of the authorization server, whose errors are those of RFC 6749. */
export function registerAuthorizationServer(
  app: FastifyInstance,
  server: AuthorizationServer,
  { clientAddress, log }: RoutesDependencies,
): void {
  const { publicUrl } = server;
  const forward = createForward(server, log);
  const { host } = new URL(publicUrl);
  app.setErrorHandler((error, request, reply) => sendError(request, reply, { error, host }));
  app.get(SERVER_METADATA_PATH, async () => serverMetadata(publicUrl));
  app.get(RESOURCE_METADATA_PATH, async () => resourceMetadata(publicUrl));
  app.get('/oauth/jwks', () => server.publicKeys());
  app.get('/oauth/authorize', async (request, reply) => {
    const { socket, rawHeaders } = request.raw;
    await server.limit(clientAddress(socket.remoteAddress, rawHeaders));
    requireFewParameters(request);
    await forward(request, reply, null);
  });
  app.get('/oauth/authorize/:uid', async (request, reply) => {
    requireFewParameters(request);
    await forward(request, reply, null);
  });
  for (const path of ['/oauth/token', '/oauth/revoke'])
    app.post(path, async (request, reply) => {
      requireForm(request);
      await forward(request, reply, await readBody(request.raw, { limit: FORM_BYTES }));
    });
}

/** Creates the function that lets oidc-provider write the response. */
function createForward({ ready }: Pick<AuthorizationServer, 'ready'>, log: Pick<Log, 'error'>) {
  return async function forward(
    { routeOptions, raw, id }: FastifyRequest,
    reply: FastifyReply,
    body: Buffer | null,
  ): Promise<void> {
    const handle = await ready(routeOptions.url!, body);
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.hijack();
    try {
      await handle(raw, reply.raw);
    } catch (error) {
      // Fastify does not answer a request whose response was hijacked.
      log.error({ err: error, request_id: id }, 'OAuth request failed with an internal error');
      endFailed(reply.raw);
    }
  };
}

/** Answers 500, or cuts off a response that has begun. */
function endFailed(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  const error_description = 'Internal error. Try again later.';
  const body = JSON.stringify({ error: 'server_error', error_description });
  response.writeHead(500, { 'content-type': 'application/json' }).end(body);
}

/** Throws for a long list of parameters: koa takes a time that grows with its square. */
function requireFewParameters({ raw }: FastifyRequest): void {
  if (raw.url!.split('&').length > MAX_PARAMETERS)
    throw new Refusal('malformed', 'bad_request', `Send at most ${MAX_PARAMETERS} parameters.`);
}

/** Throws unless the parameters are in the body, as a form, and the client's secret among them. */
function requireForm({ raw, query }: FastifyRequest): void {
  requireFormType(raw.rawHeaders);
  if (Object.keys(query as object).length > 0)
    throw new Refusal('malformed', 'bad_request', 'Send all parameters in the body.');
  if (headerValues(raw.rawHeaders, 'authorization').length > 0)
    throw new Refusal(
      'unauthenticated',
      'invalid_credential',
      'Send the client secret as the parameter client_secret.',
    );
}

/** Fastify itself refuses a Content-Type that it cannot parse. */
const unreadableType = (error: unknown): Refusal | null =>
  Object(error).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
    ? new Refusal(
        'unsupported_type',
        'unsupported_media_type',
        'Send the parameters as application/x-www-form-urlencoded.',
      )
    : null;

const CODES: Readonly<Record<number, string>> = {
  401: 'invalid_client',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
};

/** Pages that answer a browser's authorization request, by status. */
const PAGES: Readonly<Record<number, PageReason>> = { 429: 'rate_limited', 503: 'unavailable' };

async function sendError(
  { routeOptions, headers, cookies }: FastifyRequest,
  reply: FastifyReply,
  { error, host }: { error: unknown; host: string },
): Promise<void> {
  const refusal = asRefusal(error) ?? unreadableType(error);
  if (refusal === null) throw error;
  const status = httpStatus[refusal.kind];
  if (status === 401) reply.header('www-authenticate', 'Basic realm="toolgate"');
  if (refusal.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(refusal.retryAfterSeconds));
  reply.status(status).header('cache-control', 'no-store');
  if (routeOptions.url?.startsWith('/oauth/authorize')) {
    const accept_language = headers['accept-language'] ?? null;
    const reason = PAGES[status] ?? 'invalid_request';
    const page = errorPage({ accept_language, cookies }, { reason, host });
    return reply
      .headers(page.headers)
      .header('vary', 'Accept-Language, Cookie')
      .type('text/html')
      .send(page.html);
  }
  const code = CODES[status] ?? 'invalid_request';
  await reply.send({ error: code, error_description: refusal.message });
}
