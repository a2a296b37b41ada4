import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import type { RoleLevel } from './level.ts';
import type { RoleRecord } from './schema.ts';
import type { PlacedRole } from './store.ts';

export interface RolesDependencies<Listed extends RoleRecord> extends Pick<
  OrganizationsDependencies,
  'database' | 'authz'
> {
  level: RoleLevel<Listed>;
  grants: Grants;
  /** Starts taking deleted roles from their holders in the background. */
  removeSoon(): void;
}

export interface RoleChangeDependencies<
  Listed extends RoleRecord,
> extends RolesDependencies<Listed> {
  get(role: PlacedRole): Promise<Listed>;
}
