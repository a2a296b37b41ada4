import { expect, onTestFinished } from 'vitest';
import type { Action } from '../../../src/caller/actions.ts';
import { signUp } from '../../support/people/people.ts';
import type { Answer } from '../../support/people/people.ts';
import {
  ADMIN,
  createJoins,
  createOrganization,
  createRole,
  MEMBER,
} from '../../support/people/organizations.ts';
import { accountOf, byAda, current_password, runAsOperator, sessionOf } from './acting.ts';
import type { PrepareAction, ActionContext } from './acting.ts';

const path = '/api/organizations';
const helper = { name: 'Helper', description: '', permissions: [], capabilities: [] };
const targetOf = (id: string) => [{ type: 'organization', id }];
export const organizationScope = (id: string) => ({ kind: 'organization', id });

export async function membershipScope(
  { world }: ActionContext,
  organization: string,
  account: string,
) {
  const rows = await world.query<{ id: string }>(
    'SELECT id FROM membership WHERE organization_id = $1 AND account_id = $2',
    [organization, account],
  );
  return { kind: 'membership', id: rows[0]!.id };
}

/** Creates an organization of Ada's with a member. */
export async function withMember(there: ActionContext) {
  const { id } = await createOrganization(there.ada);
  const bob = await signUp(there.world, there.gateway, 'bob');
  const joins = await createJoins(there.gateway);
  onTestFinished(joins.close);
  await joins.add(id, bob);
  return {
    ...{ id, bob },
    path: `${path}/${id}/members/${bob.account_id}`,
    scopes: [await membershipScope(there, id, bob.account_id)],
    target: [{ type: 'account', id: bob.account_id }],
  };
}

/** Prepares the deletion of an organization, including its cleanup. */
async function removing(there: ActionContext) {
  const { id } = await createOrganization(there.ada);
  const membership = await membershipScope(there, id, there.ada.account_id);
  return {
    ...{ id, membership },
    async ask(): Promise<Answer<unknown>> {
      const request = { method: 'DELETE', path: `${path}/${id}`, body: { confirm: 'Acme' } };
      const answer = await byAda(there, request);
      const left = () => there.world.query('SELECT id FROM organization WHERE id = $1', [id]);
      if (answer.status === 204) await expect.poll(left, { timeout: 10_000 }).toEqual([]);
      return answer;
    },
  };
}

/** The audited actions on organizations. */
export const organizationActs: Partial<Record<Action, PrepareAction>> = {
  'organization.create': async (there) => ({
    ask: () => byAda(there, { path, body: { name: 'Acme' } }),
    async expected({ body }) {
      const { id } = body as { id: string };
      const membership = await membershipScope(there, id, there.ada.account_id);
      return {
        scopes: [membership, organizationScope(id)],
        target: targetOf(id),
        detail: { name: 'Acme' },
      };
    },
  }),
  'organization.update': async (there) => {
    const { id } = await createOrganization(there.ada);
    const request = { method: 'PATCH', path: `${path}/${id}`, body: { name: 'New' } };
    return {
      ask: () => byAda(there, request),
      expected: () => ({
        scopes: [organizationScope(id)],
        target: targetOf(id),
        detail: { before: { name: 'Acme' }, after: { name: 'New' } },
      }),
    };
  },
  'organization.delete': async (there) => {
    const { id, ask } = await removing(there);
    return {
      ask,
      expected: () => ({
        scopes: [organizationScope(id)],
        target: targetOf(id),
        detail: { name: 'Acme' },
        otherActions: ['organization.remove', 'organization.remove'],
      }),
    };
  },
  'organization.remove': async (there) => {
    const { id, ask, membership } = await removing(there);
    return {
      ask,
      expected: () => ({
        isOperator: true,
        scopes: [membership, organizationScope(id)],
        target: targetOf(id),
        otherActions: ['organization.delete'],
      }),
    };
  },
  'member.join': async (there) => {
    const { id } = await createOrganization(there.ada);
    const bob = await signUp(there.world, there.gateway, 'bob');
    const joins = await createJoins(there.gateway);
    onTestFinished(joins.close);
    return {
      ask: () => runAsOperator(joins.add(id, bob)),
      expected: async () => ({
        isOperator: true,
        scopes: [
          { kind: 'account', id: bob.account_id },
          await membershipScope(there, id, bob.account_id),
        ],
        target: [{ type: 'account', id: bob.account_id }],
        detail: { organization_id: id, role_ids: [MEMBER] },
      }),
    };
  },
  'member.update': async (there) => {
    const { path: member, scopes, target } = await withMember(there);
    const request = { method: 'PATCH', path: member, body: { role_ids: [ADMIN] } };
    return {
      ask: () => byAda(there, request),
      expected: () => ({
        ...{ scopes, target },
        detail: { before: { role_ids: [MEMBER] }, after: { role_ids: [ADMIN] } },
      }),
    };
  },
  'member.remove': async (there) => {
    const { path: member, scopes, target } = await withMember(there);
    return {
      ask: () => byAda(there, { method: 'DELETE', path: member }),
      expected: () => ({
        scopes,
        target,
        detail: { before: { role_ids: [MEMBER], team_ids: [] } },
      }),
    };
  },
  'member.leave': async (there) => {
    const { path: member, scopes, target, bob } = await withMember(there);
    return {
      ask: () => bob.person.ask({ method: 'DELETE', path: member, headers: bob.bearer }),
      expected: () => ({
        ...{ scopes, target, detail: { before: { role_ids: [MEMBER], team_ids: [] } } },
        ...{ account: bob.account_id, credential: sessionOf(bob.access_token) },
      }),
    };
  },
  'organization.transfer': async (there) => {
    const { id, bob } = await withMember(there);
    const account_id = bob.account_id;
    const body = { account_id, current_password };
    const scopes = [
      await membershipScope(there, id, there.ada.account_id),
      await membershipScope(there, id, account_id),
    ];
    return {
      ask: () => byAda(there, { path: `${path}/${id}/transfer-ownership`, body }),
      expected: () => ({
        scopes,
        target: [accountOf(there), { type: 'account', id: account_id }],
        detail: { before: { owner: there.ada.account_id }, after: { owner: account_id } },
      }),
    };
  },
  'role.create': async (there) => {
    const { id } = await createOrganization(there.ada);
    return {
      ask: () => byAda(there, { path: `${path}/${id}/roles`, body: { name: 'Helper' } }),
      expected: ({ body }) => ({
        scopes: [organizationScope(id)],
        target: [{ type: 'role', id: (body as { id: string }).id }],
        detail: { after: helper },
      }),
    };
  },
  'role.update': async (there) => {
    const { id } = await createOrganization(there.ada);
    const role = await createRole(there.ada, id, { name: 'Helper' });
    const body = { capabilities: ['tools'] };
    const request = { method: 'PATCH', path: `${path}/${id}/roles/${role.id}`, body };
    return {
      ask: () => byAda(there, request),
      expected: () => ({
        scopes: [organizationScope(id)],
        target: [{ type: 'role', id: role.id }],
        detail: { before: helper, after: { ...helper, ...body } },
      }),
    };
  },
  'role.delete': async (there) => {
    const { id } = await createOrganization(there.ada);
    const role = await createRole(there.ada, id, { name: 'Helper' });
    return {
      ask: () => byAda(there, { method: 'DELETE', path: `${path}/${id}/roles/${role.id}` }),
      expected: () => ({
        scopes: [organizationScope(id)],
        target: [{ type: 'role', id: role.id }],
        detail: { replace_with: null },
      }),
    };
  },
  'organization.plan': async (there) => {
    const { id } = await createOrganization(there.ada);
    return {
      ask: () => runAsOperator(there.gateway.service.organizations.setPlan(id, 'pro')),
      expected: () => ({
        ...{ isOperator: true, scopes: [organizationScope(id)], target: targetOf(id) },
        detail: { before: { plan: 'free' }, after: { plan: 'pro' } },
      }),
    };
  },
  'organization.suspend': async (there) => {
    const { id } = await createOrganization(there.ada);
    return {
      ask: () => runAsOperator(there.gateway.service.organizations.setStatus(id, 'suspended')),
      expected: () => ({ isOperator: true, scopes: [organizationScope(id)], target: targetOf(id) }),
    };
  },
  'organization.activate': async (there) => {
    const { id } = await createOrganization(there.ada);
    const { organizations } = there.gateway.service;
    await organizations.setStatus(id, 'suspended');
    return {
      ask: () => runAsOperator(organizations.setStatus(id, 'active')),
      expected: () => ({ isOperator: true, scopes: [organizationScope(id)], target: targetOf(id) }),
    };
  },
};
