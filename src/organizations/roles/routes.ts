import type { Route } from '../../caller/route.ts';
import { OrganizationParams } from '../schema.ts';
import { TeamParams } from '../teams/schema.ts';
import type { TeamVisibility } from '../teams/visibility.ts';
import type { Roles } from './roles.ts';
import { declareRoleRoutes } from './role-routes.ts';
import { RoleParams, RoleRecord, TeamRoleParams, TeamRoleRecord } from './schema.ts';

/** Routes of the roles of an organization. */
export const organizationRoleRoutes = (organizations: { roles: Roles }): Route[] =>
  declareRoleRoutes({
    owner: organizations,
    path: '/api/organizations/{organization_id}/roles',
    tag: 'Roles',
    on: 'organization',
    permissions: 'roles',
    place: OrganizationParams,
    role: RoleParams,
    record: RoleRecord,
    replacement: ['owner_by_transfer'],
    operations: {
      list: {
        operation_id: 'listOrganizationRoles',
        summary: 'List organization roles',
        description: 'Includes the system roles.',
      },
      create: {
        operation_id: 'createOrganizationRole',
        summary: 'Create an organization role',
        description: 'The role can have at most the permissions that you have.',
      },
      get: { operation_id: 'getOrganizationRole', summary: 'Get an organization role' },
      update: {
        operation_id: 'updateOrganizationRole',
        summary: 'Change an organization role',
        description: 'The change applies to everyone who has the role.',
      },
      delete: { operation_id: 'deleteOrganizationRole', summary: 'Delete an organization role' },
    },
  });

/** Routes of the roles for all teams of an organization. */
export const sharedTeamRoleRoutes = (teams: { roles: Roles<TeamRoleRecord> }): Route[] =>
  declareRoleRoutes({
    owner: teams,
    path: '/api/organizations/{organization_id}/team-roles',
    tag: 'Team roles',
    on: 'organization',
    permissions: 'team_roles',
    place: OrganizationParams,
    role: RoleParams,
    record: TeamRoleRecord,
    operations: {
      list: { operation_id: 'listOrganizationTeamRoles', summary: 'List roles for all teams' },
      create: {
        operation_id: 'createOrganizationTeamRole',
        summary: 'Create a role for all teams',
      },
      get: { operation_id: 'getOrganizationTeamRole', summary: 'Get a role for all teams' },
      update: {
        operation_id: 'updateOrganizationTeamRole',
        summary: 'Change a role for all teams',
        description: 'Takes effect immediately in every team.',
      },
      delete: {
        operation_id: 'deleteOrganizationTeamRole',
        summary: 'Delete a role for all teams',
      },
    },
  });

/** Routes of the roles of a single team. */
export const teamRoleRoutes = (teams: {
  roles: Roles<TeamRoleRecord>;
  requireInside: TeamVisibility['requireInside'];
}): Route[] =>
  declareRoleRoutes({
    owner: teams,
    path: '/api/organizations/{organization_id}/teams/{team_id}/roles',
    tag: 'Team roles',
    on: 'team',
    permissions: 'roles',
    place: TeamParams,
    role: TeamRoleParams,
    record: TeamRoleRecord,
    foreign: ['role_of_organization'],
    requireInside: (caller, team) => teams.requireInside(caller, team),
    operations: {
      list: {
        operation_id: 'listTeamRoles',
        summary: 'List one team’s roles',
        description: 'Includes the roles for all teams.',
      },
      create: {
        operation_id: 'createTeamRole',
        summary: 'Create a team role',
        description: 'The role can have at most the permissions that you have in the team.',
      },
      get: { operation_id: 'getTeamRole', summary: 'Get a team role' },
      update: {
        operation_id: 'updateTeamRole',
        summary: 'Change a team role',
        description: 'The change applies to everyone who has the role.',
      },
      delete: { operation_id: 'deleteTeamRole', summary: 'Delete a team role' },
    },
  });
