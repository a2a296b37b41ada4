import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { searchQuery } from '../../platform/http/list-query.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { OrganizationParams } from '../schema.ts';
import { policyRoutes } from './policies/routes.ts';
import { sharedTeamRoleRoutes, teamRoleRoutes } from '../roles/routes.ts';
import { TeamDeletion, TeamDraft, TeamEdit, TeamParams, TeamRecord } from './schema.ts';
import { seatRoutes } from './seats/routes.ts';
import type { Teams } from './teams.ts';

const tag = 'Teams';
const path = '/api/organizations/{organization_id}/teams';

export const teamRoutes = (teams: Teams): Route[] => [
  ...listRoutes(teams),
  ...recordRoutes(teams),
  ...seatRoutes(teams),
  ...sharedTeamRoleRoutes(teams),
  ...teamRoleRoutes(teams),
  ...policyRoutes(teams),
];

const listRoutes = (teams: Teams): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    // Members see the teams that they are in without any permission.
    access: { on: 'organization', permission: 'see' },
    operation_id: 'listTeams',
    summary: 'List organization teams',
    description:
      'Lists all teams of the organization. Without `can_view_organization_teams`, it lists only those that you are in.',
    tag,
    params: OrganizationParams,
    query: searchQuery(),
    responses: { 200: pageOf(TeamRecord) },
    handle: async ({ caller, params, query }) =>
      ok(await teams.list(caller, params.organization_id, query)),
  }),
  defineRoute({
    method: 'POST',
    path,
    access: { on: 'organization', permission: 'teams_write' },
    operation_id: 'createTeam',
    summary: 'Create a team',
    description: 'In a session, you become its team_admin.',
    tag,
    params: OrganizationParams,
    body: TeamDraft,
    errors: { 409: ['name_taken'], 422: ['limit_reached'] },
    responses: { 201: TeamRecord },
    handle: async ({ caller, params, body, request }) =>
      created(await teams.create(caller, params.organization_id, body, request)),
  }),
];

const recordRoutes = (teams: Teams): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${path}/{team_id}`,
    access: { on: 'organization', permission: 'see' },
    operation_id: 'getTeam',
    summary: 'Get a team',
    description: 'You must be in the team, or have `can_view_organization_teams`.',
    tag,
    params: TeamParams,
    responses: { 200: TeamRecord },
    handle: async ({ caller, params }) => ok(await teams.get(caller, params)),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${path}/{team_id}`,
    access: { on: 'team', permission: 'general_update' },
    operation_id: 'updateTeam',
    summary: 'Change a team',
    tag,
    params: TeamParams,
    object: ({ caller, params }) => teams.requireInside(caller, params),
    body: TeamEdit,
    errors: { 409: ['name_taken'] },
    responses: { 200: TeamRecord },
    handle: async ({ caller, params, body, request }) =>
      ok(await teams.update(caller, params, body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{team_id}`,
    access: { on: 'team', permission: 'general_delete' },
    operation_id: 'deleteTeam',
    summary: 'Delete a team',
    description: 'Deletes all its data permanently.',
    tag,
    params: TeamParams,
    object: ({ caller, params }) => teams.requireInside(caller, params),
    body: TeamDeletion,
    errors: { 422: ['confirmation_mismatch'] },
    responses: { 204: null },
    async handle({ caller, params, body, request }) {
      await teams.delete(caller, params, body, request);
      return noContent();
    },
  }),
];
