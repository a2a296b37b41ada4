import type { Authz } from '../../authz/authz.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Database } from '../../platform/postgres/database.ts';

export interface ConnectionsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'change'>;
  log: Log;
}
