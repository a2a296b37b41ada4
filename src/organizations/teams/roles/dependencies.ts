import type { OrganizationsDependencies } from '../../dependencies.ts';
import type { Grants } from '../../grants/grants.ts';
import type { RoleAuthorGuard } from './author.ts';
import type { TeamRoleRecord } from './schema.ts';
import type { OwnedRole } from './store.ts';

export interface TeamRolesDependencies extends Pick<
  OrganizationsDependencies,
  'database' | 'authz' | 'given'
> {
  grants: Grants;
  authors: RoleAuthorGuard;
}

export interface TeamRoleChangeDependencies extends TeamRolesDependencies {
  get(role: OwnedRole): Promise<TeamRoleRecord>;
}
