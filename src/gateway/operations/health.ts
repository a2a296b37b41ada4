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

const Warning = z
  .enum(['authz_foreign_writes'])
  .describe('`authz_foreign_writes`: something other than a gateway changed tuples in OpenFGA.');

/** Something that an operator should look at, and that does not keep the service from serving. */
export interface HealthWarning {
  name: z.infer<typeof Warning>;
  isRaised(): Promise<boolean>;
}

const PROBE_MS = 1_000;
const CACHE_MS = 1_000;

const Part = z.string().describe('Name of a server or worker, such as `postgres`.');
const shared = {
  degraded: z.array(Part).optional(),
  warnings: z.array(Warning).optional(),
};
/**
 * Body of a 200: every required part responds; `degraded` lists optional parts that do not, `warnings`
 * what an operator should look at although the service can serve.
 */
export const Healthy = z.object({ status: z.literal('healthy'), ...shared });
export const Unhealthy = z.object({
  status: z.literal('unhealthy'),
  failing: z.array(Part),
  ...shared,
  errors: z.array(ReportedError),
});

/** Serves `/health` (ready to serve) and `/health/live` (the process runs). */
export function registerHealth(
  app: FastifyInstance,
  probes: readonly HealthProbe[],
  warnings: readonly HealthWarning[],
): void {
  app.get('/health/live', (_request, reply) => reply.send({ status: 'healthy' }));
  const probe = cacheBriefly(() =>
    Promise.all([Promise.all(probes.map(isFailing)), Promise.all(warnings.map(isRaised))]),
  );
  app.get('/health', async (_request, reply) => {
    const [failed, raised] = await probe();
    const failing = probes.filter((_, index) => failed[index]);
    const failingRequired = failing.filter((part) => part.required).map((part) => part.name);
    const degraded = failing.filter((part) => !part.required).map((part) => part.name);
    const warned = warnings.filter((_, index) => raised[index]).map(({ name }) => name);
    const rest = {
      ...(degraded.length > 0 ? { degraded } : {}),
      ...(warned.length > 0 ? { warnings: warned } : {}),
    };
    if (failingRequired.length === 0) return reply.send({ status: 'healthy', ...rest });
    const { errors } = envelope('service_unavailable', 'The service is not ready.', {
      failing: failingRequired,
    });
    return reply
      .status(503)
      .header('retry-after', 1)
      .send({ status: 'unhealthy', failing: failingRequired, ...rest, errors });
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

/** Returns whether a warning is raised; false if that cannot be read, which a probe reports. */
const isRaised = (warning: HealthWarning): Promise<boolean> =>
  withTimeout(warning.isRaised(), PROBE_MS, () => new Error('too slow')).catch(() => false);

async function isFailing({ probe }: HealthProbe): Promise<boolean> {
  try {
    await withTimeout(probe(), PROBE_MS, () => new Error('too slow'));
    return false;
  } catch {
    return true;
  }
}
