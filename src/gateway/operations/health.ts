import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ReportedError } from '../../platform/errors/reported-error.ts';
import { envelope } from '../http/errors.ts';
import { withTimeout } from '../../platform/concurrency/within.ts';

/** A health check of one part; if it fails and is not `required`, the service is only degraded. */
export interface HealthProbe {
  name: string;
  required: boolean;
  probe(): Promise<void>;
}

const PROBE_MS = 1_000;
const CACHE_MS = 1_000;

const Part = z.string().describe('Name of a server or worker, such as `postgres`.');
/** Body of a 200: every required part responds; `degraded` lists optional parts that do not. */
export const Healthy = z.object({
  status: z.literal('healthy'),
  degraded: z.array(Part).optional(),
});
export const Unhealthy = z.object({
  status: z.literal('unhealthy'),
  failing: z.array(Part),
  degraded: z.array(Part).optional(),
  errors: z.array(ReportedError),
});

/** Serves `/health` (ready to serve) and `/health/live` (the process runs). */
export function registerHealth(app: FastifyInstance, probes: readonly HealthProbe[]): void {
  app.get('/health/live', (_request, reply) => reply.send({ status: 'healthy' }));
  const probe = cacheBriefly(() => Promise.all(probes.map(isFailing)));
  app.get('/health', async (_request, reply) => {
    const failed = await probe();
    const failing = probes.filter((_, index) => failed[index]);
    const failingRequired = failing.filter((part) => part.required).map((part) => part.name);
    const degraded = failing.filter((part) => !part.required).map((part) => part.name);
    const degradedPart = degraded.length > 0 ? { degraded } : {};
    if (failingRequired.length === 0) return reply.send({ status: 'healthy', ...degradedPart });
    const { errors } = envelope('service_unavailable', 'The service is not ready.', {
      failing: failingRequired,
    });
    return reply
      .status(503)
      .header('retry-after', 1)
      .send({ status: 'unhealthy', failing: failingRequired, ...degradedPart, errors });
  });
}

/** Shares one result among all calls within a second, since anyone may request `/health`. */
function cacheBriefly<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  let until = 0;
  return () => {
    if (result === null || performance.now() > until) {
      result = read();
      until = performance.now() + CACHE_MS;
    }
    return result;
  };
}

async function isFailing({ probe }: HealthProbe): Promise<boolean> {
  try {
    await withTimeout(probe(), PROBE_MS, () => new Error('too slow'));
    return false;
  } catch {
    return true;
  }
}
