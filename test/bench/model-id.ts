import { findDeployment } from '../../src/authz/engine/deployment.ts';
import { createDatabase } from '../../src/platform/postgres/database.ts';
import type { Deployment } from '../support/servers/deployment-on.ts';

/** Returns the id of a deployment's OpenFGA model. */
export async function modelIdOf({ databaseUrl }: Deployment): Promise<string> {
  const database = await createDatabase({ url: databaseUrl, onIdleError() {} });
  try {
    return (await findDeployment(database.pool))!.model_id;
  } finally {
    await database.close();
  }
}
