import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Retry } from '../authz/authz.ts';
import { identifyNow, readFrom } from '../caller/read-identified.ts';
import type { Identified } from '../caller/read-identified.ts';
import { parseJsonBody, readBody, requireJsonType } from '../platform/http/body.ts';
import { withTimeout } from '../platform/concurrency/within.ts';
import { asRefusal } from '../platform/errors/outage.ts';
import { overdue, unavailable } from '../platform/errors/refusal.ts';
import type { Log } from '../platform/observability/log.ts';
import { SCIM_TYPE, scimError } from '../scim/scim.ts';
import type { Directory, Scim, ScimResponse, ScimRoute } from '../scim/scim.ts';
import type { ClientAddress } from './http/client-address.ts';
import { credentialRequired, readCredential } from './senders/credentials.ts';
import { toErrorResponse } from './http/errors.ts';
import { logFailure } from './http/failures.ts';
import { methodsOf } from './http/methods.ts';

export interface ScimGatewayDependencies {
  scim: Pick<Scim, 'authenticate' | 'routes' | 'handle'>;
  retry: Retry;
  clientAddress: ClientAddress;
  log: Log;
}

const PREFIX = '/scim/v2/:organization_id';
// A change of a group with many members takes several transactions.
const REQUEST_MS = 30_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The declared endpoint, in SCIM. */
    scim?: ScimRoute;
  }
  interface FastifyRequest {
    /** State of a SCIM request, which its hooks fill in. */
    scim: {
      sender: Identified<Directory>;
      /** Deadline, in the time of `performance.now()`. */
      until: number;
      /** Whether the body was read: an empty one is undefined before and after. */
      has_read_body: boolean;
    };
  }
}

/** Serves the endpoints of SCIM, whose errors have the shape of RFC 7644, section 3.12. */
export async function registerScim(
  app: FastifyInstance,
  dependencies: ScimGatewayDependencies,
): Promise<void> {
  const { routes } = dependencies.scim;
  app.setErrorHandler((error, _request, reply) => sendScimError(reply, error, dependencies.log));
  await app.register(async (scope) => registerRoutes(scope, dependencies));
  for (const [url, ofUrl] of Map.groupBy(routes, urlOf)) {
    const declared = ofUrl.map(({ method }) => method);
    const { allowed, refused } = methodsOf(declared, app.supportedMethods);
    refuse(app, url, refused, (reply) => {
      const message = `Use ${declared.join(' or ')}.`;
      return reply
        .header('allow', allowed.join(', '))
        .status(405)
        .send(errorText(405, { code: 'method_not_allowed', message }));
    });
  }
  for (const url of ['/scim', '/scim/*'])
    refuse(app, url, app.supportedMethods, (reply) =>
      reply.status(404).send(errorText(404, { code: 'not_found', message: 'Not found.' })),
    );
}

const urlOf = ({ path }: ScimRoute) => `${PREFIX}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;

/** Registers the routes, with the documented order of checks as hooks. */
function registerRoutes(
  app: FastifyInstance,
  { scim, retry, clientAddress }: ScimGatewayDependencies,
): void {
  async function identify({ raw: { rawHeaders } }: FastifyRequest): Promise<Directory> {
    // Cookies are no credentials here.
    const credential = readCredential(rawHeaders, undefined, 'caller');
    if (credential.kind !== 'bearer') throw credentialRequired('scim');
    try {
      return await scim.authenticate(credential.token);
    } catch (error) {
      throw asRefusal(error) ?? unavailable('the token could not be looked up', error);
    }
  }

  async function parse(request: FastifyRequest): Promise<unknown> {
    const { sender, until } = request.scim;
    const again = () => identify(request);
    const read = await readFrom(sender, again, ({ organization }) =>
      readJson(request, organization.id),
    );
    request.scim = { sender: read.sender, until: until + read.body_ms, has_read_body: true };
    return read.body;
  }

  async function handle(request: FastifyRequest): Promise<ScimResponse> {
    const { sender, until } = request.scim;
    const route = request.routeOptions.config.scim!;
    const { organization_id = '', id: name = null } = request.params as Record<string, string>;
    const facts = {
      id: request.id,
      address: clientAddress(request.raw.socket.remoteAddress, request.raw.rawHeaders),
    };
    const { query, body } = request;
    const received = { organization_id, name, query, body, facts };
    const work = retry({
      attempt: () => scim.handle(route, sender, received),
      retry: async () => scim.handle(route, await identifyNow(() => identify(request)), received),
      contended:
        route.method === 'GET'
          ? null
          : { scope: { kind: 'organization', id: sender.caller.organization.id }, by: 'scim' },
      until,
    });
    return withTimeout(work, until - performance.now(), overdue);
  }

  app.decorateRequest('scim');
  app.addHook('onRequest', async (request) => {
    const until = performance.now() + REQUEST_MS;
    const sender = await identifyNow(() => identify(request));
    request.scim = { sender, until, has_read_body: false };
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', parse);
  app.addHook('preHandler', async (request) => {
    // Fastify parses nothing if neither a type nor a length announces a body.
    if (!request.scim.has_read_body) request.body = await parse(request);
  });
  for (const route of scim.routes)
    app.route({
      method: route.method,
      url: urlOf(route),
      config: { scim: route },
      handler: async (request, reply) => sendResponse(reply, await handle(request)),
    });
}

async function readJson({ method, raw }: FastifyRequest, fairnessKey: string): Promise<unknown> {
  if (method === 'GET' || method === 'HEAD') return undefined;
  const bytes = await readBody(raw);
  if (bytes.length === 0 && method === 'DELETE') return undefined;
  requireJsonType(raw.rawHeaders);
  return parseJsonBody(fairnessKey, bytes);
}

function sendResponse(reply: FastifyReply, { status, body, location }: ScimResponse): FastifyReply {
  reply.status(status).header('cache-control', 'no-store');
  if (location !== undefined) reply.header('location', location);
  if (body === undefined) return reply.send();
  return reply.type(SCIM_TYPE).send(JSON.stringify(body));
}

function refuse(
  app: FastifyInstance,
  url: string,
  method: string[],
  answer: (reply: FastifyReply) => FastifyReply,
): void {
  app.route({
    method,
    url,
    // Before Fastify looks at the content type.
    onRequest: async (_request, reply) => answer(reply.type(SCIM_TYPE)),
    handler: () => {},
  });
}

const errorText = (...error: Parameters<typeof scimError>) =>
  JSON.stringify(scimError(...error).body);

/** Sends an error in the shape of SCIM. */
export function sendScimError(reply: FastifyReply, error: unknown, log: Log): void {
  const { status, body, headers } = toErrorResponse(error);
  logFailure(log, error, {
    ...{ request_id: reply.request.id, what: 'SCIM request', outcome: 'refused with 503' },
  });
  const sent = scimError(status, body.errors[0]!);
  reply
    .status(sent.status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type(SCIM_TYPE)
    .send(JSON.stringify(sent.body));
}
