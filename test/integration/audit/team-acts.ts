import { expect } from 'vitest';
import type { Action } from '../../../src/caller/actions.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import type { Answer } from '../../support/people/people.ts';
import { createTeam, createTeamRole, seatsOf, TEAM_ADMIN } from '../../support/people/teams.ts';
import { byAda, sessionOf } from './action-context.ts';
import type { PrepareAction, ActionContext } from './action-context.ts';
import { membershipScope, organizationScope, withMember } from './organization-acts.ts';

const red = { name: 'red', title: 'red', description: '' };
const helper = { name: 'Helper', description: '', permissions: [], capabilities: [] };

/** Creates an organization for Ada, with a team in which she has the only seat. */
async function withTeam(context: ActionContext) {
  const { id } = await createOrganization(context.ada);
  const team = await createTeam(context.ada, id, 'red');
  return {
    ...{ id, path: seatsOf(id, team.id).path },
    scopes: [organizationScope(id)],
    target: [{ type: 'team', id: team.id }],
  };
}

/** Creates a team, and a member who has no seat in it yet. */
async function withSeat(context: ActionContext) {
  const { id, bob, scopes } = await withMember(context);
  const team = await createTeam(context.ada, id, 'red');
  const seats = seatsOf(id, team.id);
  const target = [
    { type: 'team', id: team.id },
    { type: 'account', id: bob.account_id },
  ];
  return { bob, scopes, target, seats, path: seats.seat(bob) };
}

async function withRole(context: ActionContext) {
  const { path, scopes, target } = await withTeam(context);
  const { id } = await createTeamRole(context.ada, `${path}/roles`, { name: 'Helper' });
  return { scopes, path: `${path}/roles/${id}`, target: [{ type: 'team_role', id }, ...target] };
}

/** Prepares the deletion of a team; `ask` also waits until its row is removed. */
async function prepareDeletion(context: ActionContext) {
  const team = await withTeam(context);
  const { id } = team.target[0]!;
  return {
    ...team,
    membership: await membershipScope(context, team.id, context.ada.account_id),
    async ask(): Promise<Answer<unknown>> {
      const request = { method: 'DELETE', path: team.path, body: { confirm: 'red' } };
      const answer = await byAda(context, request);
      const rest = () => context.world.query('SELECT id FROM team WHERE id = $1', [id]);
      if (answer.status === 204) await expect.poll(rest, { timeout: 10_000 }).toEqual([]);
      return answer;
    },
  };
}

/** The audited actions on teams. */
export const teamActs: Partial<Record<Action, PrepareAction>> = {
  'team.create': async (context) => {
    const { id } = await createOrganization(context.ada);
    const membership = await membershipScope(context, id, context.ada.account_id);
    const request = { path: `/api/organizations/${id}/teams`, body: { name: 'red' } };
    return {
      ask: () => byAda(context, request),
      expected: ({ body }) => ({
        scopes: [membership, organizationScope(id)],
        target: [{ type: 'team', id: (body as { id: string }).id }],
        detail: { after: red },
      }),
    };
  },
  'team.update': async (context) => {
    const { path, scopes, target } = await withTeam(context);
    return {
      ask: () => byAda(context, { method: 'PATCH', path, body: { title: 'Red' } }),
      expected: () => ({
        scopes,
        target,
        detail: { before: red, after: { ...red, title: 'Red' } },
      }),
    };
  },
  'team.policy': async (context) => {
    const { path, scopes, target } = await withTeam(context);
    const body = { mode: 'blacklist', patterns: ['secret/**'] };
    return {
      ask: () => byAda(context, { method: 'PUT', path: `${path}/policies/resource`, body }),
      expected: () => ({
        ...{ scopes, target },
        detail: { family: 'resource', before: { mode: 'all' }, after: body },
      }),
    };
  },
  'team.delete': async (context) => {
    const { ask, scopes, target } = await prepareDeletion(context);
    return {
      ask,
      expected: () => ({
        ...{ scopes, target, detail: { before: red } },
        otherActions: ['team.remove', 'team.remove'],
      }),
    };
  },
  'team.remove': async (context) => {
    const { ask, membership, scopes, target } = await prepareDeletion(context);
    return {
      ask,
      expected: () => ({
        ...{ isOperator: true, changes: 2, scopes: [membership, ...scopes], target },
        otherActions: ['team.delete'],
      }),
    };
  },
  'team_member.add': async (context) => {
    const { id, bob, scopes } = await withMember(context);
    const team = await createTeam(context.ada, id, 'red');
    return {
      ask: () => seatsOf(id, team.id).add(context.ada, bob, [TEAM_ADMIN]),
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
  'team_member.update': async (context) => {
    const { bob, path, scopes, seats, target } = await withSeat(context);
    await seats.add(context.ada, bob);
    const body = { role_ids: [TEAM_ADMIN] };
    return {
      ask: () => byAda(context, { method: 'PATCH', path, body }),
      expected: () => ({ scopes, target, detail: { before: { role_ids: [] }, after: body } }),
    };
  },
  'team_member.remove': async (context) => {
    const { bob, path, scopes, seats, target } = await withSeat(context);
    await seats.add(context.ada, bob, [TEAM_ADMIN]);
    return {
      ask: () => byAda(context, { method: 'DELETE', path }),
      expected: () => ({ scopes, target, detail: { before: { role_ids: [TEAM_ADMIN] } } }),
    };
  },
  'team_member.leave': async (context) => {
    const { bob, path, scopes, seats, target } = await withSeat(context);
    await seats.add(context.ada, bob);
    return {
      ask: () => bob.person.ask({ method: 'DELETE', path, headers: bob.bearer }),
      expected: () => ({
        ...{ scopes, target, detail: { before: { role_ids: [] } } },
        ...{ account: bob.account_id, credential: sessionOf(bob.access_token) },
      }),
    };
  },
  'team_role.create': async (context) => {
    const { path, scopes, target } = await withTeam(context);
    return {
      ask: () => byAda(context, { path: `${path}/roles`, body: { name: 'Helper' } }),
      expected: ({ body }) => ({
        scopes,
        target: [{ type: 'team_role', id: (body as { id: string }).id }, ...target],
        detail: { after: helper },
      }),
    };
  },
  'team_role.update': async (context) => {
    const { path, scopes, target } = await withRole(context);
    const body = { capabilities: ['tools'] };
    return {
      ask: () => byAda(context, { method: 'PATCH', path, body }),
      expected: () => ({
        ...{ scopes, target },
        detail: { before: helper, after: { ...helper, ...body } },
      }),
    };
  },
  'team_role.delete': async (context) => {
    const { path, scopes, target } = await withRole(context);
    return {
      ask: () => byAda(context, { method: 'DELETE', path }),
      expected: () => ({ scopes, target, detail: { before: helper, replace_with: null } }),
    };
  },
  'team_role.remove': async (context) => {
    const { world, ada } = context;
    const { id, bob, scopes } = await withMember(context);
    const team = await createTeam(ada, id, 'red');
    const seats = seatsOf(id, team.id);
    const role = await createTeamRole(ada, `${seats.path}/roles`, { name: 'Helper' });
    await seats.add(ada, bob, [role.id]);
    return {
      async ask() {
        const request = `${seats.path}/roles/${role.id}?replace_with=${TEAM_ADMIN}`;
        const answer = await byAda(context, { method: 'DELETE', path: request });
        const left = () => world.query('SELECT id FROM team_role WHERE id = $1', [role.id]);
        if (answer.status === 204) await expect.poll(left, { timeout: 10_000 }).toEqual([]);
        return answer;
      },
      expected: () => ({
        isOperator: true,
        changes: 2,
        scopes: [...scopes, { kind: 'organization' as const, id }],
        target: [{ type: 'team_role', id: role.id }],
        otherActions: ['team_role.delete'],
      }),
    };
  },
};
