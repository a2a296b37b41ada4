import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import type { Route } from '../../caller/route.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import { requireDeclaredAccess } from './access.ts';
import { requireDeclaredJob } from './job-replies.ts';
import { createDecisions } from './decisions.ts';
import type { DecisionsDependencies } from './decisions.ts';
import { createHandling } from './handling.ts';
import type { HandlingDependencies } from './handling.ts';
import { bodySchemaOf, createReading, NoFields } from './reading.ts';
import type { ReadingDependencies } from './reading.ts';
import { requireOperationIds } from './operation-ids.ts';
import { parseQuery } from './query.ts';
import { requireDeclaredReauthentication } from './reauthentication.ts';
import { parseShape } from '../http/request-body.ts';
import { sendReply } from './send-reply.ts';

export interface RestDependencies
  extends DecisionsDependencies, ReadingDependencies, Omit<HandlingDependencies, 'shutdown'> {
  secureCookies: boolean;
}

/**
 * Registers the declared routes, with the documented order of checks as hooks: what fails first
 * decides the response (decisions/0056). Throws for a route whose declaration is incomplete.
 */
export function registerRest(app: FastifyInstance, dependencies: RestDependencies): void {
  const { routes, secureCookies } = dependencies;
  const shutdown = new AbortController();
  app.addHook('preClose', async () => shutdown.abort());
  const decisions = createDecisions(dependencies);
  const reading = createReading(dependencies, decisions);
  const handling = createHandling({ ...dependencies, shutdown: shutdown.signal }, decisions);
  app.decorateRequest('rest');
  app.addHook('onRequest', reading.identify);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', reading.readBody);
  app.addHook('preValidation', reading.prepare);
  app.addHook('preHandler', handling.authorize);
  requireOperationIds(routes);
  for (const route of routes) {
    requireDeclaredAccess(route);
    requireDeclaredReauthentication(route);
    requireDeclaredJob(route);
    const body = bodySchemaOf(route);
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { route },
      schema: { querystring: route.query ?? NoFields, ...(body === undefined ? {} : { body }) },
      validatorCompiler: validatorOf(route),
      async handler(request, reply) {
        await sendReply(reply, await handling.respond(request), secureCookies);
        return reply;
      },
    });
  }
}

/**
 * Returns the compiler of a route's validators, whose errors are the refusals of the API. The query
 * and the body are parsed by the route, of which the schema that Fastify passes is only a part.
 */
const validatorOf =
  (route: Route): FastifySchemaCompiler<unknown> =>
  ({ httpPart }) =>
  (sent: unknown) => {
    try {
      if (httpPart === 'querystring') return { value: parseQuery(route, sent) };
      return { value: parseShape(bodySchemaOf(route)!, sent, 'invalid_body') };
    } catch (error) {
      // What is returned becomes a 400; what is thrown, a 500.
      if (!isRefusal(error)) throw error;
      return { error };
    }
  };
