import type { Authz } from '../authz/authz.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Plans } from '../platform/config/plans.ts';
import type { Log } from '../platform/observability/log.ts';

export interface OrganizationsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'check' | 'checkEach' | 'change' | 'editContent'>;
  plans: Plans;
  log: Log;
}
