import type { Database } from '../platform/postgres/database.ts';
import { OperatorError } from '../platform/errors/operator-error.ts';
import type { Engine } from './client.ts';
import { hashModelFiles } from './model-files.ts';
import { findDeployment } from './store.ts';
import type { Deployment } from './store.ts';
import { EPOCH_OBJECT } from './system-roles.ts';

/** A start that cannot be: the rows, the store and this code do not belong together. */
export class DeploymentError extends OperatorError {}

/** Reads which deployment this database is of; refuses one that is not this code's. */
export async function requireDeployment(database: Database, storeId: string): Promise<Deployment> {
  const deployment = await findDeployment(database.pool);
  if (!deployment)
    throw new DeploymentError('No authorization model is published. Run: npm run migrate');
  if (deployment.store_id !== storeId)
    throw new DeploymentError(
      `OPENFGA_STORE_ID is ${storeId}, but this database belongs to ${deployment.store_id}.`,
    );
  if (deployment.model_hash !== (await hashModelFiles()))
    throw new DeploymentError(
      'The published authorization model is not the one of this code. Run: npm run migrate',
    );
  return deployment;
}

/** True while the store carries the epoch of this database: neither was restored or emptied. */
export async function epochAgrees(engine: Engine, epoch: string): Promise<boolean> {
  const held = await engine.read(EPOCH_OBJECT);
  return held.length === 1 && held[0]!.user === `revision:${epoch}`;
}
