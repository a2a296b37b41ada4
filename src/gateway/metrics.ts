import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { equalSecrets, hashSecret } from '../platform/secrets.ts';
import { headerValues } from '../platform/body.ts';

export interface MetricsOptions {
  token: string | undefined;
  /** Seconds the oldest change of authority has waited for OpenFGA. */
  backlogSeconds(): Promise<number>;
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** Prometheus metrics; to anybody but a direct loopback client or the token's holder, a 404. */
export function createMetrics({ token, backlogSeconds }: MetricsOptions) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'toolgate_http_request_seconds',
    help: 'REST requests by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  registry.registerMetric(
    new Gauge({
      name: 'toolgate_authz_backlog_seconds',
      help: 'Age of the oldest change of authority not yet in OpenFGA',
      registers: [],
      async collect() {
        this.set(await backlogSeconds().catch(() => Number.NaN));
      },
    }),
  );

  const admits = (remote: string | undefined, rawHeaders: readonly string[]) => {
    const given = headerValues(rawHeaders, 'authorization')[0];
    if (token && given) return equalSecrets(hashSecret(given), hashSecret(`Bearer ${token}`));
    const forwarded = headerValues(rawHeaders, 'x-forwarded-for').length > 0;
    return !forwarded && LOOPBACK.has(remote ?? '');
  };

  return {
    observe(request: { route: string; method: string; status: number; seconds: number }) {
      requests.observe(
        { route: request.route, method: request.method, status: String(request.status) },
        request.seconds,
      );
    },
    register(app: FastifyInstance) {
      app.get('/metrics', async (request, reply) => {
        if (!admits(request.raw.socket.remoteAddress, request.raw.rawHeaders))
          return reply.callNotFound();
        return reply.type(registry.contentType).send(await registry.metrics());
      });
    },
  };
}
