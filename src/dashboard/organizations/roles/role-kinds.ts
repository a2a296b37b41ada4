import { queryOptions } from '@tanstack/react-query';
import { organizationClosure, permissions, teamClosure } from '../../../authz/permissions.ts';
import type { Permission } from '../../../authz/permissions.ts';
import type { RoleRecord } from '../../../organizations/roles/schema.ts';
import { request } from '../../api/request.ts';
import { pathOf } from '../organizations.ts';

export type Role = RoleRecord;

/** Roles of the organization, and roles that members can have in all of its teams. */
export const ROLE_KINDS = {
  organization: {
    place: '/app/org/$organizationId/roles',
    route: '/roles',
    noun: 'organization_roles',
    table: permissions.organization as readonly Permission[],
    closure: organizationClosure,
    hasPreview: true,
  },
  team: {
    place: '/app/org/$organizationId/team-roles',
    route: '/team-roles',
    noun: 'organization_team_roles',
    table: permissions.team as readonly Permission[],
    closure: teamClosure,
    // The service previews no change of a role in teams.
    hasPreview: false,
  },
} as const;
export type RoleKind = keyof typeof ROLE_KINDS;

export const rolesPath = (kind: RoleKind, id: string) => pathOf(id, ROLE_KINDS[kind].route);

export const roleQuery = (kind: RoleKind, id: string, role_id: string) =>
  queryOptions({
    queryKey: ['role', kind, id, role_id],
    queryFn: ({ signal }) => request<Role>(`${rolesPath(kind, id)}/${role_id}`, { signal }),
  });
