import type { Authz } from '../../authz/authz.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Organizations } from '../../organizations/organizations.ts';
import type { Visibility } from '../../visibility/visibility.ts';
import type { Clients } from '../clients/clients.ts';
import type { Connections } from '../connections/connections.ts';
import type { Interactions } from '../server/server.ts';

export interface ConsentDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'check'>;
  interactions: Interactions;
  clients: Pick<Clients, 'find'>;
  connections: Pick<Connections, 'createDelegated'>;
  delegation: Organizations['delegation'];
  visibility: Pick<Visibility, 'drafts' | 'draftsIn' | 'list' | 'reach'>;
}
