import { inject } from 'vitest';
import { createDeploymentOn } from './deployment-on.ts';
import type { Deployment } from './deployment-on.ts';

export type { Deployment };

/** Creates a deployment on the servers of this test run. */
export const createDeployment = (): Promise<Deployment> =>
  createDeploymentOn({
    postgresUrl: inject('postgresUrl'),
    redisUrl: inject('redisUrl'),
    openfgaApiUrl: inject('openfgaApiUrl'),
    openfgaApiToken: inject('openfgaApiToken'),
  });
