import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { equalSecrets, hashSecret } from '../../platform/secrets.ts';
import { headerValues } from '../../platform/http/body.ts';
import { createCallMetrics } from './call-metrics.ts';

export interface MetricsOptions {
  token: string | undefined;
  gauges: readonly ReadGauge[];
  counters: readonly ReadCounter[];
}

/** A gauge whose value is read at each scrape. */
export interface ReadGauge {
  name: string;
  help: string;
  read(): number | Promise<number>;
}

/** A counter whose value is read at each scrape or, if it has a label, its values by that label's. */
export interface ReadCounter {
  name: string;
  help: string;
  label: string | null;
  read(): number | Readonly<Record<string, number>> | Promise<number>;
}

/** A finished request. `route` is the pattern: URLs would create an unlimited number of series. */
export interface ObservedRequest {
  route: string;
  method: string;
  status: number;
  seconds: number;
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Metrics of the process, such as the delay of its event loop. They hang on hooks of Node that a
 * gateway cannot take back when it closes, so all gateways of a process share them.
 */
const processMetrics = new Registry();
collectDefaultMetrics({ register: processMetrics });

/** Returns the gauge that reads its value at each scrape. */
const gaugeOf = ({ name, help, read }: ReadGauge) =>
  new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      this.set(await Promise.try(read).catch(() => Number.NaN));
    },
  });

/** Returns the counter that reads its values at each scrape. */
const counterOf = ({ name, help, label, read }: ReadCounter) =>
  new Counter({
    name,
    help,
    labelNames: label === null ? [] : [label],
    registers: [],
    async collect() {
      const counts = await read();
      this.reset();
      if (typeof counts === 'number') this.inc(counts);
      else
        for (const [value, count] of Object.entries(counts))
          this.inc({ [label ?? '']: value }, count);
    },
  });

/** Creates the Prometheus metrics; all but direct loopback clients and token holders get a 404. */
export function createMetrics({ token, gauges, counters }: MetricsOptions) {
  const registry = new Registry();
  const requests = new Histogram({
    name: 'toolgate_http_request_seconds',
    help: 'Requests by route, method and status; 499 if the client went before the response',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const seriesByName = new Map<string, ReturnType<typeof requests.labels>>();
  for (const gauge of gauges) registry.registerMetric(gaugeOf(gauge));
  for (const counter of counters) registry.registerMetric(counterOf(counter));

  const admits = (remote: string | undefined, rawHeaders: readonly string[]) => {
    const authorization = headerValues(rawHeaders, 'authorization')[0];
    if (token && authorization)
      return equalSecrets(hashSecret(authorization), hashSecret(`Bearer ${token}`));
    const forwarded = headerValues(rawHeaders, 'x-forwarded-for').length > 0;
    return !forwarded && LOOPBACK.has(remote ?? '');
  };

  return {
    observeCall: createCallMetrics(registry),
    observe({ route, method, status, seconds }: ObservedRequest) {
      const name = `${method} ${status} ${route}`;
      let series = seriesByName.get(name);
      if (series === undefined) {
        series = requests.labels({ route, method, status: String(status) });
        seriesByName.set(name, series);
      }
      series.observe(seconds);
    },
    register(app: FastifyInstance) {
      app.get('/metrics', async (request, reply) => {
        if (!admits(request.raw.socket.remoteAddress, request.raw.rawHeaders))
          return reply.callNotFound();
        const all = Registry.merge([processMetrics, registry]);
        return reply.type(all.contentType).send(await all.metrics());
      });
    },
  };
}
