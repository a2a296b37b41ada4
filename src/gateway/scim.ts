import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Retry } from '../authz/authz.ts';
import { identifyNow, readIdentified } from '../caller/read-identified.ts';
import { parseJsonBody, readBody, requireJsonType } from '../platform/http/body.ts';
import { withTimeout } from '../platform/concurrency/within.ts';
import { asRefusal } from '../platform/errors/outage.ts';
import { overdue, unavailable } from '../platform/errors/refusal.ts';
import type { Log } from '../platform/observability/log.ts';
import { SCIM_TYPE, scimError } from '../scim/scim.ts';
import type { Directory, Scim, ScimResponse, ScimRoute } from '../scim/scim.ts';
import type { ClientAddress } from './client-address.ts';
import { credentialRequired, readCredential } from './credentials.ts';
import { toErrorResponse } from './errors.ts';
import { methodsOf } from './methods.ts';

export interface ScimGatewayDependencies {
  scim: Pick<Scim, 'authenticate' | 'routes' | 'handle'>;
  retry: Retry;
  clientAddress: ClientAddress;
  log: Log;
}

const PREFIX = '/scim/v2/:organization_id';
// A change of a group with many members takes several transactions.
const REQUEST_MS = 30_000;

/** Serves the endpoints of SCIM, whose errors have the shape of RFC 7644, section 3.12. */
export function registerScim(app: FastifyInstance, dependencies: ScimGatewayDependencies): void {
  const { scim, log } = dependencies;
  const handle = createHandler(dependencies);
  app.setErrorHandler((error, request, reply) => sendError(reply, request, error, log));
  const byPath = Map.groupBy(scim.routes, ({ path }) => path);
  for (const [path, routes] of byPath) {
    const url = `${PREFIX}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    for (const route of routes)
      app.route({
        method: route.method,
        url,
        async onRequest(request, reply) {
          sendResponse(reply, await handle(route, request));
          return reply;
        },
        handler: () => {},
      });
    const declared = routes.map(({ method }) => method);
    const { allowed, refused } = methodsOf(declared);
    refuse(app, url, refused, (reply) => {
      const message = `Use ${declared.join(' or ')}.`;
      return reply
        .header('allow', allowed.join(', '))
        .status(405)
        .send(errorText(405, { code: 'method_not_allowed', message }));
    });
  }
  for (const url of ['/scim', '/scim/*'])
    refuse(app, url, methodsOf([]).refused, (reply) =>
      reply.status(404).send(errorText(404, { code: 'not_found', message: 'Not found.' })),
    );
}

/** Creates the function that handles one request, in the documented order of checks. */
function createHandler({ scim, retry, clientAddress }: ScimGatewayDependencies) {
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

  return async function handle(route: ScimRoute, request: FastifyRequest): Promise<ScimResponse> {
    const began = performance.now();
    const { organization_id = '', id: name = null } = request.params as Record<string, string>;
    const facts = {
      id: request.id,
      address: clientAddress(request.raw.socket.remoteAddress, request.raw.rawHeaders),
    };
    const { body, body_ms, ...sender } = await readIdentified(
      () => identify(request),
      (caller) => readJson(route, request, caller.organization.id),
    );
    const until = began + body_ms + REQUEST_MS;
    const received = { organization_id, name, query: request.query, body, facts };
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
  };
}

async function readJson(
  { method }: ScimRoute,
  { raw }: FastifyRequest,
  fairnessKey: string,
): Promise<unknown> {
  if (method === 'GET') return undefined;
  const bytes = await readBody(raw);
  if (bytes.length === 0 && method === 'DELETE') return undefined;
  requireJsonType(raw.rawHeaders);
  return parseJsonBody(fairnessKey, bytes);
}

function sendResponse(reply: FastifyReply, { status, body, location }: ScimResponse): void {
  reply.status(status).header('cache-control', 'no-store');
  if (location !== undefined) reply.header('location', location);
  if (body === undefined) reply.send();
  else reply.type(SCIM_TYPE).send(JSON.stringify(body));
}

function refuse(
  app: FastifyInstance,
  url: string,
  method: HTTPMethods[],
  answer: (reply: FastifyReply) => FastifyReply,
): void {
  app.route({
    method,
    url,
    async onRequest(_request, reply) {
      answer(reply.type(SCIM_TYPE));
      return reply;
    },
    handler: () => {},
  });
}

const errorText = (...error: Parameters<typeof scimError>) =>
  JSON.stringify(scimError(...error).body);

function sendError(reply: FastifyReply, request: FastifyRequest, error: unknown, log: Log): void {
  const { status, body, headers, defect } = toErrorResponse(error);
  const about = { err: error, request_id: request.id };
  if (defect) log.error(about, 'SCIM request failed with an internal error');
  else if (status === 503)
    log.warn(about, 'SCIM request refused with 503: a backing service is unavailable');
  const sent = scimError(status, body.errors[0]!);
  reply
    .status(sent.status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type(SCIM_TYPE)
    .send(JSON.stringify(sent.body));
}
