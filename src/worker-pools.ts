import { createWorkerPool } from './catalog/worker-pool.ts';

/** Creates the processes that parse large documents; 20 MB take hundreds of MB as objects. */
export const createDocumentWorkers = () =>
  createWorkerPool({
    size: 1,
    deadlineMs: 15_000,
    memoryMb: 1_024,
    maxWaiting: 16,
    maxWaitingPerKey: 1,
    halfLifeMs: 600_000,
    module: new URL('content/tools/openapi/computations.ts', import.meta.url),
  });

/** Creates the processes that verify long SAML responses, of which many may come at once. */
export const createSamlWorkers = () =>
  createWorkerPool({
    deadlineMs: 6_000,
    maxWaitingPerKey: 32,
    halfLifeMs: 600_000,
    module: new URL('sso/saml/computations.ts', import.meta.url),
  });
