import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import type { Route } from '../caller/route.ts';
import { describeApi } from './openapi.ts';

/** `/api/openapi.json`, and the same for people at `/docs/api`. */
export async function registerReference(
  app: FastifyInstance,
  routes: readonly Route[],
  baseUrl: string,
): Promise<void> {
  const description = describeApi(routes, baseUrl);
  const text = JSON.stringify(description);
  app.get('/api/openapi.json', (_request, reply) => reply.type('application/json').send(text));
  await app.register(reference, {
    routePrefix: '/docs/api',
    configuration: { url: '/api/openapi.json', withDefaultFonts: false, telemetry: false },
  });
}
