import type { ManagedAccounts } from '../../accounts/accounts.ts';
import type { Authz } from '../../authz/authz.ts';
import type { DirectoryChanges } from '../../organizations/organizations.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { IsVerifiedDomain } from './rules.ts';

export interface UserChangesDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit'>;
  members: DirectoryChanges;
  accounts: ManagedAccounts;
  isVerifiedDomain: IsVerifiedDomain;
  /** Sends queued e-mails now. */
  wakeMail(): void;
}
