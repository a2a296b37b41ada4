import type { Authz } from '../../authz/authz.ts';
import type { DirectoryChanges } from '../../organizations/organizations.ts';
import type { Database } from '../../platform/postgres/database.ts';

export interface GroupsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit'>;
  members: DirectoryChanges;
}
