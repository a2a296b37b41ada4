import type { Authz } from '../../authz/authz.ts';
import type { Organizations } from '../../organizations/organizations.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Connections } from '../connections/connections.ts';

export interface ClientsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'change' | 'edit'>;
  organizations: Pick<Organizations, 'delegation'>;
  /** The connections of clients, which change together with them. */
  connections: Pick<
    Connections,
    'machineChange' | 'revoke' | 'revokeOfClient' | 'narrowOfClient'
  > & { managed: Pick<Connections['managed'], 'agentsOfClients'> };
  /** The dashboard has the redirect URIs of built-in clients. */
  config: Pick<Config, 'DASHBOARD_URL'>;
  log: Log;
}
