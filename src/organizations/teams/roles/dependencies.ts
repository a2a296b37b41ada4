import type { OrganizationsDependencies } from '../../dependencies.ts';
import type { TeamEscalationGuard } from '../escalation.ts';
import type { RoleAuthorGuard } from './author.ts';
import type { TeamRoleRecord } from './schema.ts';
import type { OwnedRole } from './store.ts';

export interface TeamRolesDependencies extends Pick<
  OrganizationsDependencies,
  'database' | 'authz' | 'given'
> {
  guard: TeamEscalationGuard;
  authors: RoleAuthorGuard;
}

export interface TeamRoleChangeDependencies extends TeamRolesDependencies {
  get(role: OwnedRole): Promise<TeamRoleRecord>;
}
