import type { Authz } from '../authz/authz.ts';
import type { FormKey, FormKind } from '../limits/limits.ts';
import type { Mail } from '../mail/mail.ts';
import type { Config } from '../platform/config/config.ts';
import type { Database, Transaction } from '../platform/postgres/database.ts';
import type { Plans } from '../platform/config/plans.ts';
import type { Log } from '../platform/observability/log.ts';

export interface OrganizationsDependencies {
  database: Pick<Database, 'pool' | 'hot'>;
  authz: Pick<Authz, 'check' | 'checkEach' | 'change' | 'editContent'>;
  mail: Pick<Mail, 'templates' | 'requireDelivery' | 'enqueue' | 'wake'>;
  /** Consumes one point of a form's limit, or throws 429. */
  limitForm(kind: FormKind, key: FormKey): Promise<void>;
  config: Pick<Config, 'PUBLIC_URL'>;
  plans: Plans;
  log: Log;
  /** The content of an organization: its catalog, and what its teams and members have there. */
  spaces: {
    add(transaction: Transaction, organization_id: string): Promise<void>;
    remove(transaction: Transaction, organization_id: string): Promise<void>;
  };
}
