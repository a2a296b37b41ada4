import { randomUUID } from 'node:crypto';
import { ADMIN } from '../../support/people/organizations.ts';
import { goodPassword } from '../../support/people/people.ts';
import type { SendRequest } from '../../support/people/people.ts';
import { absent, denied, unauthenticated } from './expected.ts';
import type { Expected } from './expected.ts';

const teams = '/api/organizations/{organization_id}/teams';
const team = `${teams}/{team_id}`;
const seat = `${team}/members/{account_id}`;
const ownRole = `${team}/roles/{team_role_id}`;
const refusals = { anonymous: unauthenticated, key: absent, stranger: absent, member: denied };
const withoutSeat = { ...refusals, member: absent };

type Row = [request: SendRequest, expected: Expected];
/** Requests about teams that change nothing, and their expected responses. */
export const teamRoutes: readonly Row[] = [
  [{ path: teams }, { ...refusals, member: [200], admin: [200], owner: [200] }],
  [
    { method: 'POST', path: teams, body: { name: 'red' } },
    { ...refusals, admin: [409, 'name_taken'], owner: [409, 'name_taken'] },
  ],
  // A member without a seat gets a 404 for a team; an Admin can manage every team.
  [{ path: team }, { ...withoutSeat, admin: [200], owner: [200] }],
  [
    { method: 'PATCH', path: team, body: {} },
    { ...withoutSeat, admin: [200], owner: [200] },
  ],
  [
    {
      method: 'DELETE',
      path: team,
      body: { confirm: 'Something else', current_password: goodPassword },
    },
    {
      ...withoutSeat,
      ...{ admin: [422, 'confirmation_mismatch'], owner: [422, 'confirmation_mismatch'] },
    },
  ],
  [{ path: `${team}/usage` }, { ...withoutSeat, admin: [200], owner: [200] }],
  [{ path: `${team}/members` }, { ...withoutSeat, admin: [200], owner: [200] }],
  [
    { method: 'POST', path: `${team}/members`, body: { account_id: randomUUID() } },
    { ...withoutSeat, admin: [422, 'not_a_member'], owner: [422, 'not_a_member'] },
  ],
  [
    { method: 'PATCH', path: seat.replace('account_id', 'owner'), body: { role_ids: [ADMIN] } },
    { ...withoutSeat, admin: [422, 'unknown_role'], owner: [422, 'unknown_role'] },
  ],
  [
    { method: 'DELETE', path: seat },
    { ...withoutSeat, admin: absent, owner: absent },
  ],
  ...['tool', 'resource', 'prompt', 'agent'].flatMap((family): Row[] => [
    [{ path: `${team}/policies/${family}` }, { ...withoutSeat, admin: [200], owner: [200] }],
    [
      { method: 'PUT', path: `${team}/policies/${family}`, body: { mode: 'all' } },
      { ...withoutSeat, admin: [200], owner: [200] },
    ],
  ]),
  [{ path: `${team}/roles` }, { ...withoutSeat, admin: [200], owner: [200] }],
  [
    { method: 'POST', path: `${team}/roles`, body: { name: 'team_admin' } },
    { ...withoutSeat, admin: [409, 'name_taken'], owner: [409, 'name_taken'] },
  ],
  [{ path: ownRole }, { ...withoutSeat, admin: [200], owner: [200] }],
  [
    { method: 'PATCH', path: ownRole, body: { name: 'Mine' } },
    { ...withoutSeat, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
  [
    { method: 'DELETE', path: ownRole },
    { ...withoutSeat, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
];
