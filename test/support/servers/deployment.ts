import { inject } from 'vitest';
import { createDeploymentOn } from './deployment-on.ts';
import type { Deployment } from './deployment-on.ts';

export type { Deployment };

/** On the servers this test run brought up. */
export const createDeployment = (): Promise<Deployment> =>
  createDeploymentOn({
    postgresUrl: inject('postgresUrl'),
    redisUrl: inject('redisUrl'),
    openfgaApiUrl: inject('openfgaApiUrl'),
    openfgaApiToken: inject('openfgaApiToken'),
  });
