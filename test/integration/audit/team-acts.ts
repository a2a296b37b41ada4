import { expect } from 'vitest';
import type { Action } from '../../../src/caller/actions.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import type { Answer } from '../../support/people/people.ts';
import { createTeam, createTeamRole, seatsOf, TEAM_ADMIN } from '../../support/people/teams.ts';
import { byAda, sessionOf } from './acting.ts';
import type { PrepareAction, ActionContext } from './acting.ts';
import { membershipScope, organizationScope, withMember } from './organization-acts.ts';

const red = { name: 'red', title: 'red', description: '' };
const helper = { name: 'Helper', description: '', permissions: [], capabilities: [] };

/** Creates an organization of Ada's with a team, where Ada has the only seat. */
async function withTeam(there: ActionContext) {
  const { id } = await createOrganization(there.ada);
  const team = await createTeam(there.ada, id, 'red');
  return {
    ...{ id, path: seatsOf(id, team.id).path },
    scopes: [organizationScope(id)],
    target: [{ type: 'team', id: team.id }],
  };
}

/** Creates a team with a second seat. */
async function withSeat(there: ActionContext) {
  const { id, bob, scopes } = await withMember(there);
  const team = await createTeam(there.ada, id, 'red');
  const seats = seatsOf(id, team.id);
  const target = [
    { type: 'team', id: team.id },
    { type: 'account', id: bob.account_id },
  ];
  return { bob, scopes, target, seats, path: seats.seat(bob) };
}

async function withRole(there: ActionContext) {
  const { path, scopes, target } = await withTeam(there);
  const { id } = await createTeamRole(there.ada, `${path}/roles`, { name: 'Helper' });
  return { scopes, path: `${path}/roles/${id}`, target: [{ type: 'team_role', id }, ...target] };
}

/** Deletes a team, and waits until all its rows are removed. */
async function removing(there: ActionContext) {
  const team = await withTeam(there);
  const { id } = team.target[0]!;
  return {
    ...team,
    membership: await membershipScope(there, team.id, there.ada.account_id),
    async ask(): Promise<Answer<unknown>> {
      const request = { method: 'DELETE', path: team.path, body: { confirm: 'red' } };
      const answer = await byAda(there, request);
      const rest = () => there.world.query('SELECT id FROM team WHERE id = $1', [id]);
      if (answer.status === 204) await expect.poll(rest, { timeout: 10_000 }).toEqual([]);
      return answer;
    },
  };
}

/** The audited actions on teams. */
export const teamActs: Partial<Record<Action, PrepareAction>> = {
  'team.create': async (there) => {
    const { id } = await createOrganization(there.ada);
    const membership = await membershipScope(there, id, there.ada.account_id);
    const request = { path: `/api/organizations/${id}/teams`, body: { name: 'red' } };
    return {
      ask: () => byAda(there, request),
      expected: ({ body }) => ({
        scopes: [membership, organizationScope(id)],
        target: [{ type: 'team', id: (body as { id: string }).id }],
        detail: { after: red },
      }),
    };
  },
  'team.update': async (there) => {
    const { path, scopes, target } = await withTeam(there);
    return {
      ask: () => byAda(there, { method: 'PATCH', path, body: { title: 'Red' } }),
      expected: () => ({
        scopes,
        target,
        detail: { before: red, after: { ...red, title: 'Red' } },
      }),
    };
  },
  'team.policy': async (there) => {
    const { path, scopes, target } = await withTeam(there);
    const body = { mode: 'blacklist', patterns: ['secret/**'] };
    return {
      ask: () => byAda(there, { method: 'PUT', path: `${path}/policies/resource`, body }),
      expected: () => ({
        ...{ scopes, target },
        detail: { family: 'resource', before: { mode: 'all' }, after: body },
      }),
    };
  },
  'team.delete': async (there) => {
    const { ask, scopes, target } = await removing(there);
    return {
      ask,
      expected: () => ({
        ...{ scopes, target, detail: { before: red } },
        otherActions: ['team.remove', 'team.remove'],
      }),
    };
  },
  'team.remove': async (there) => {
    const { ask, membership, scopes, target } = await removing(there);
    return {
      ask,
      expected: () => ({
        ...{ isOperator: true, scopes: [membership, ...scopes], target },
        otherActions: ['team.delete'],
      }),
    };
  },
  'team_member.add': async (there) => {
    const { id, bob, scopes } = await withMember(there);
    const team = await createTeam(there.ada, id, 'red');
    return {
      ask: () => seatsOf(id, team.id).add(there.ada, bob, [TEAM_ADMIN]),
      expected: () => ({
        scopes,
        target: [
          { type: 'team', id: team.id },
          { type: 'account', id: bob.account_id },
        ],
        detail: { after: { role_ids: [TEAM_ADMIN] } },
      }),
    };
  },
  'team_member.update': async (there) => {
    const { bob, path, scopes, seats, target } = await withSeat(there);
    await seats.add(there.ada, bob);
    const body = { role_ids: [TEAM_ADMIN] };
    return {
      ask: () => byAda(there, { method: 'PATCH', path, body }),
      expected: () => ({ scopes, target, detail: { before: { role_ids: [] }, after: body } }),
    };
  },
  'team_member.remove': async (there) => {
    const { bob, path, scopes, seats, target } = await withSeat(there);
    await seats.add(there.ada, bob, [TEAM_ADMIN]);
    return {
      ask: () => byAda(there, { method: 'DELETE', path }),
      expected: () => ({ scopes, target, detail: { before: { role_ids: [TEAM_ADMIN] } } }),
    };
  },
  'team_member.leave': async (there) => {
    const { bob, path, scopes, seats, target } = await withSeat(there);
    await seats.add(there.ada, bob);
    return {
      ask: () => bob.person.ask({ method: 'DELETE', path, headers: bob.bearer }),
      expected: () => ({
        ...{ scopes, target, detail: { before: { role_ids: [] } } },
        ...{ account: bob.account_id, credential: sessionOf(bob.access_token) },
      }),
    };
  },
  'team_role.create': async (there) => {
    const { path, scopes, target } = await withTeam(there);
    return {
      ask: () => byAda(there, { path: `${path}/roles`, body: { name: 'Helper' } }),
      expected: ({ body }) => ({
        scopes,
        target: [{ type: 'team_role', id: (body as { id: string }).id }, ...target],
        detail: { after: helper },
      }),
    };
  },
  'team_role.update': async (there) => {
    const { path, scopes, target } = await withRole(there);
    const body = { capabilities: ['tools'] };
    return {
      ask: () => byAda(there, { method: 'PATCH', path, body }),
      expected: () => ({
        ...{ scopes, target },
        detail: { before: helper, after: { ...helper, ...body } },
      }),
    };
  },
  'team_role.delete': async (there) => {
    const { path, scopes, target } = await withRole(there);
    return {
      ask: () => byAda(there, { method: 'DELETE', path }),
      expected: () => ({ scopes, target, detail: { replace_with: null } }),
    };
  },
};
