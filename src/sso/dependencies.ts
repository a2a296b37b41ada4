import type { Accounts } from '../accounts/accounts.ts';
import type { Authz } from '../authz/authz.ts';
import type { Audit } from '../audit/audit.ts';
import type { WorkerPool } from '../catalog/catalog.ts';
import type { FormKey, FormKind } from '../limits/limits.ts';
import type { Organizations } from '../organizations/organizations.ts';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { ReadTxtRecords } from '../platform/outbound/txt-records.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Secrets } from '../platform/secrets.ts';

export interface SsoDependencies {
  database: Database;
  authz: Pick<Authz, 'edit'>;
  audit: Audit;
  secrets: Secrets;
  outbound: Pick<Outbound, 'fetch'>;
  /** Processes that verify long SAML responses, so that none blocks the event loop. */
  samlWorkers: Pick<WorkerPool, 'compute'>;
  readTxtRecords: ReadTxtRecords;
  config: Pick<Config, 'PUBLIC_URL' | 'DASHBOARD_URL'>;
  /** Consumes one point of a form's limit, or throws 429. */
  limitForm(kind: FormKind, key: FormKey): Promise<void>;
  accounts: Pick<Accounts, 'cookies' | 'endAllSessions' | 'findSignedIn' | 'identities'>;
  organizations: Pick<Organizations, 'joinGrants' | 'join'>;
  log: Log;
}
