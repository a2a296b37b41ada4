import { created, defineRoute, noContent, ok } from '../../../caller/route.ts';
import type { Route } from '../../../caller/route.ts';
import type { Principal } from '../../../caller/principal.ts';
import { PageQuery, pageOf } from '../../../platform/http/pages.ts';
import { TeamParams } from '../schema.ts';
import type { Teams } from '../teams.ts';
import { SeatDraft, SeatEdit, SeatParams, SeatRecord } from './schema.ts';

const tag = 'Team members';
const path = '/api/organizations/{organization_id}/teams/{team_id}/members';

/** Problems with the named roles. */
const seatErrors = ['capability_escalation', 'permission_not_held', 'unknown_role'] as const;

type SeatServices = Pick<Teams, 'seats' | 'requireInside'>;

export const seatRoutes = (teams: SeatServices): Route[] => [
  ...listRoutes(teams),
  ...recordRoutes(teams),
];

/** Returns a check that throws 404 unless both the caller and the person are in the team. */
const requireSeat =
  (teams: SeatServices) =>
  async ({ caller, params }: { caller: Principal; params: SeatParams }) => {
    await teams.requireInside(caller, params);
    await teams.seats.require(params);
  };

const listRoutes = (teams: SeatServices): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { on: 'team', permission: 'members_read' },
    operation_id: 'listTeamMembers',
    summary: 'List team members',
    tag,
    params: TeamParams,
    object: ({ caller, params }) => teams.requireInside(caller, params),
    query: PageQuery,
    responses: { 200: pageOf(SeatRecord) },
    handle: async ({ params, query }) => ok(await teams.seats.list(params, query)),
  }),
  defineRoute({
    method: 'POST',
    path,
    access: { on: 'team', permission: 'members_create' },
    operation_id: 'addTeamMember',
    summary: 'Add a team member',
    description:
      'The person must be a member of the organization. You can give only roles that you may grant in the team.',
    tag,
    params: TeamParams,
    object: ({ caller, params }) => teams.requireInside(caller, params),
    body: SeatDraft,
    errors: {
      409: ['already_member'],
      422: [...seatErrors, 'limit_reached', 'not_a_member'],
    },
    responses: { 201: SeatRecord },
    handle: async ({ caller, params, body, request }) =>
      created(await teams.seats.create(caller, params, body, request)),
  }),
];

const recordRoutes = (teams: SeatServices): Route[] => [
  defineRoute({
    method: 'PATCH',
    path: `${path}/{account_id}`,
    access: { on: 'team', permission: 'members_update' },
    operation_id: 'updateTeamMember',
    summary: 'Change a team member’s roles',
    tag,
    params: SeatParams,
    object: requireSeat(teams),
    body: SeatEdit,
    errors: { 422: seatErrors },
    responses: { 200: SeatRecord },
    handle: async ({ caller, params, body, request }) =>
      ok(await teams.seats.update(caller, params, body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{account_id}`,
    // Leaving needs no permission; the handler checks the permission to remove another member.
    access: { on: 'team', permission: 'see' },
    operation_id: 'removeTeamMember',
    summary: 'Remove a team member',
    description:
      'Removing another member requires `can_delete_team_members`. Naming yourself leaves the team, which only a session can do.',
    tag,
    params: SeatParams,
    object: requireSeat(teams),
    errors: { 403: ['insufficient_scope', 'permission_denied'] },
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await teams.seats.remove(caller, params, request);
      return noContent();
    },
  }),
];
