import type { Authz } from '../authz/authz.ts';
import type { Database, Transaction } from '../platform/postgres/database.ts';
import type { Plans } from '../platform/config/plans.ts';
import type { Log } from '../platform/observability/log.ts';

export interface OrganizationsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'check' | 'checkEach' | 'change' | 'editContent'>;
  plans: Plans;
  log: Log;
  /** The content of an organization: its catalog, and what its teams and members have there. */
  spaces: {
    add(transaction: Transaction, organization_id: string): Promise<void>;
    remove(transaction: Transaction, organization_id: string): Promise<void>;
  };
}
