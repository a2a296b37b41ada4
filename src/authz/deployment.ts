import { z } from 'zod';
import { sql } from '../platform/postgres/database.ts';
import type { Connection, Database } from '../platform/postgres/database.ts';
import { OperatorError } from '../platform/errors/operator-error.ts';
import type { Engine } from './client.ts';
import { hashModelFiles } from './model.ts';
import { EPOCH_OBJECT } from './system-roles.ts';

const DeploymentRow = z.object({
  store_id: z.string(),
  model_id: z.string(),
  model_hash: z.string(),
  epoch: z.string(),
  /** Versions of the projections whose tuples are in the store, by type. */
  projections: z.record(z.string(), z.number()),
});
export type Deployment = z.infer<typeof DeploymentRow>;

export function findDeployment(connection: Connection): Promise<Deployment | null> {
  return connection.maybeOne(sql.type(DeploymentRow)`
    SELECT store_id, model_id, model_hash, epoch, projections FROM authz_deployment`);
}

export async function saveDeployment(connection: Connection, row: Deployment): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    INSERT INTO authz_deployment (store_id, model_id, model_hash, epoch, projections)
    VALUES (${row.store_id}, ${row.model_id}, ${row.model_hash}, ${row.epoch},
      ${sql.jsonb(row.projections)})
    ON CONFLICT (single) DO UPDATE SET store_id = excluded.store_id, model_id = excluded.model_id,
      model_hash = excluded.model_hash, epoch = excluded.epoch,
      projections = excluded.projections, deployed_at = now()`);
}

/** Thrown when the database, the OpenFGA store and this code do not match. */
export class DeploymentError extends OperatorError {}

/** Reads the deployment of this database; throws unless it has this store and this code's model. */
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
      'The published authorization model differs from the one in this code. Run: npm run migrate',
    );
  return deployment;
}

/** Returns whether the store has this database's epoch; a foreign or emptied store does not. */
export async function epochAgrees(engine: Engine, epoch: string): Promise<boolean> {
  const stored = await engine.read(EPOCH_OBJECT);
  return stored.length === 1 && stored[0]!.user === `revision:${epoch}`;
}
