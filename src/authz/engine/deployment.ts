import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Database } from '../../platform/postgres/database.ts';
import { OperatorError } from '../../platform/errors/operator-error.ts';
import type { Engine } from './client.ts';
import { hashModelFiles } from './model.ts';
import { EPOCH_OBJECT } from '../system-roles.ts';

const DeploymentRow = z.object({
  store_id: z.string(),
  model_id: z.string(),
  /** The model that tuples are validated against; null before it was first published. */
  tuple_model_id: z.string().nullable(),
  model_hash: z.string(),
  epoch: z.string(),
  /** Versions of the projections whose tuples are in the store, by type. */
  projections: z.record(z.string(), z.number()),
});
export type Deployment = z.infer<typeof DeploymentRow>;

export function findDeployment(db: Queryable): Promise<Deployment | null> {
  return db.maybeOne(sql.type(DeploymentRow)`
    SELECT store_id, model_id, tuple_model_id, model_hash, epoch, projections FROM authz_deployment`);
}

export async function saveDeployment(db: Queryable, row: Deployment): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO authz_deployment (store_id, model_id, tuple_model_id, model_hash, epoch, projections)
    VALUES (${row.store_id}, ${row.model_id}, ${row.tuple_model_id}, ${row.model_hash},
      ${row.epoch}, ${sql.jsonb(row.projections)})
    ON CONFLICT (single) DO UPDATE SET store_id = excluded.store_id, model_id = excluded.model_id,
      tuple_model_id = excluded.tuple_model_id, model_hash = excluded.model_hash, epoch = excluded.epoch,
      projections = excluded.projections, deployed_at = now()`);
}

const LastComparison = z.object({
  epoch: z.string(),
  compared_at: z.string(),
  now: z.string(),
  age_ms: z.number(),
});

/**
 * Returns the last full comparison of store and rows that agreed, its age, and the current time;
 * null without a deployment.
 */
export function findLastComparison(db: Queryable) {
  return db.maybeOne(sql.type(LastComparison)`
    SELECT epoch, compared_at, now(),
      (extract(epoch FROM now() - compared_at) * 1000)::float8 AS age_ms
    FROM authz_deployment`);
}

/** Records that the store had every change applied before `startedAt`. */
export async function saveComparison(db: Queryable, startedAt: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE authz_deployment SET compared_at = ${startedAt}::timestamptz
    WHERE compared_at < ${startedAt}::timestamptz`);
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
export async function epochAgrees(engine: Pick<Engine, 'read'>, epoch: string): Promise<boolean> {
  const stored = await engine.read(EPOCH_OBJECT);
  return stored.length === 1 && stored[0]!.user === `revision:${epoch}`;
}
