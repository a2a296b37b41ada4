import type { FastifyInstance } from 'fastify';
import { capabilities } from '../caller/principal.ts';

/** RFC 9728: what the challenge of a 401 on `/mcp` points to. */
export function registerProtectedResource(app: FastifyInstance, publicUrl: string): void {
  const metadata = {
    resource: `${publicUrl}/mcp`,
    authorization_servers: [publicUrl],
    scopes_supported: capabilities.map((capability) => `mcp_${capability}`),
    bearer_methods_supported: ['header'],
  };
  app.get('/.well-known/oauth-protected-resource/mcp', (_request, reply) => reply.send(metadata));
}
