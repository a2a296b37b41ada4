import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import type { Route } from '../caller/route.ts';
import { requireDeclaredAccess } from './access.ts';
import { requireDeclaredJob } from './job-replies.ts';
import { bodySchemaOf, createLifecycle, NoFields } from './lifecycle.ts';
import type { LifecycleDependencies } from './lifecycle.ts';
import { requireOperationIds } from './operation-ids.ts';
import { parseQuery } from './query.ts';
import { requireDeclaredReauthentication } from './reauthentication.ts';
import { parseShape } from './request-body.ts';
import { sendReply } from './send-reply.ts';

export interface RestDependencies extends Omit<LifecycleDependencies, 'shutdown'> {
  secureCookies: boolean;
}

/** Registers the declared routes. Throws for one whose declaration is incomplete. */
export function registerRest(app: FastifyInstance, dependencies: RestDependencies): void {
  const { routes, secureCookies } = dependencies;
  const shutdown = new AbortController();
  app.addHook('preClose', async () => shutdown.abort());
  const lifecycle = createLifecycle({ ...dependencies, shutdown: shutdown.signal });
  app.decorateRequest('rest');
  app.addHook('onRequest', lifecycle.identify);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', lifecycle.readBody);
  app.addHook('preValidation', lifecycle.prepare);
  app.addHook('preHandler', lifecycle.decide);
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
        await sendReply(reply, await lifecycle.respond(request), secureCookies);
        return reply;
      },
    });
  }
}

/** Returns the compiler of a route's validators, whose errors are the refusals of the API. */
const validatorOf =
  (route: Route): FastifySchemaCompiler<unknown> =>
  ({ httpPart }) =>
  (sent: unknown) => {
    try {
      if (httpPart === 'querystring') return { value: parseQuery(route, sent) };
      return { value: parseShape(bodySchemaOf(route)!, sent, 'invalid_body') };
    } catch (error) {
      return { error: error as Error };
    }
  };
