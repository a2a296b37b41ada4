import type { FastifyInstance } from 'fastify';
import { within } from '../platform/within.ts';

/** A part and whether it answers; `required: false` degrades but does not take us out. */
export interface HealthProbe {
  name: string;
  required: boolean;
  probe(): Promise<void>;
}

const PROBE_MS = 1_000;
const KEPT_MS = 1_000;

/** `/health`: ready to serve; `/health/live`: the process runs. */
export function registerHealth(app: FastifyInstance, probes: readonly HealthProbe[]): void {
  app.get('/health/live', (_request, reply) => reply.send({ status: 'healthy' }));
  const look = kept(() => Promise.all(probes.map(fails)));
  app.get('/health', async (_request, reply) => {
    const failed = await look();
    const failing = probes.filter((_, index) => failed[index]);
    const down = failing.filter((part) => part.required).map((part) => part.name);
    const degraded = failing.filter((part) => !part.required).map((part) => part.name);
    return reply.status(down.length > 0 ? 503 : 200).send({
      status: down.length > 0 ? 'unhealthy' : 'healthy',
      ...(down.length > 0 ? { failing: down } : {}),
      ...(degraded.length > 0 ? { degraded } : {}),
    });
  });
}

/** Asked by anybody, so a crowd shares one look, and a look serves for a second. */
function kept<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null;
  let until = 0;
  return () => {
    if (answer === null || performance.now() > until) {
      answer = ask();
      until = performance.now() + KEPT_MS;
    }
    return answer;
  };
}

async function fails({ probe }: HealthProbe): Promise<boolean> {
  try {
    await within(probe(), PROBE_MS, () => new Error('too slow'));
    return false;
  } catch {
    return true;
  }
}
