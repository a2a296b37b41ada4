import { expect, onTestFinished } from 'vitest';
import type { Action } from '../../../src/caller/actions.ts';
import { goodPassword, signUp } from '../../support/people/people.ts';
import type { Answer } from '../../support/people/people.ts';
import {
  ADMIN,
  createJoins,
  createOrganization,
  createRole,
  MEMBER,
} from '../../support/people/organizations.ts';
import { accountOf, byAda, current_password, runAsOperator, sessionOf } from './action-context.ts';
import type { PrepareAction, ActionContext } from './action-context.ts';

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

/** Creates an organization for Ada, and adds Bob as a member. */
export async function withMember(context: ActionContext) {
  const { id } = await createOrganization(context.ada);
  const bob = await signUp(context.world, context.gateway, 'bob');
  const joins = await createJoins(context.gateway);
  onTestFinished(joins.close);
  await joins.add(id, bob);
  return {
    ...{ id, bob },
    path: `${path}/${id}/members/${bob.account_id}`,
    scopes: [await membershipScope(context, id, bob.account_id)],
    target: [{ type: 'account', id: bob.account_id }],
  };
}

/** Prepares the deletion of an organization, including its cleanup. */
async function prepareDeletion(context: ActionContext) {
  const { id } = await createOrganization(context.ada);
  const membership = await membershipScope(context, id, context.ada.account_id);
  return {
    ...{ id, membership },
    async ask(): Promise<Answer<unknown>> {
      const request = {
        method: 'DELETE',
        path: `${path}/${id}`,
        body: { confirm: 'Acme', current_password: goodPassword },
      };
      const answer = await byAda(context, request);
      const left = () => context.world.query('SELECT id FROM organization WHERE id = $1', [id]);
      if (answer.status === 204) await expect.poll(left, { timeout: 10_000 }).toEqual([]);
      return answer;
    },
  };
}

/** The audited actions on organizations. */
export const organizationActs: Partial<Record<Action, PrepareAction>> = {
  'organization.create': async (context) => ({
    ask: () => byAda(context, { path, body: { name: 'Acme' } }),
    async expected({ body }) {
      const { id } = body as { id: string };
      const membership = await membershipScope(context, id, context.ada.account_id);
      return {
        scopes: [membership, organizationScope(id)],
        target: targetOf(id),
        detail: { name: 'Acme' },
      };
    },
  }),
  'organization.update': async (context) => {
    const { id } = await createOrganization(context.ada);
    const request = { method: 'PATCH', path: `${path}/${id}`, body: { name: 'New' } };
    return {
      ask: () => byAda(context, request),
      expected: () => ({
        scopes: [organizationScope(id)],
        target: targetOf(id),
        detail: { before: { name: 'Acme' }, after: { name: 'New' } },
      }),
    };
  },
  'organization.billing': async (context) => {
    const { id } = await createOrganization(context.ada);
    const body = { contact: { name: 'Acme', tax_id: null } };
    return {
      ask: () => byAda(context, { method: 'PATCH', path: `${path}/${id}/billing`, body }),
      expected: () => ({
        ...{ scopes: [organizationScope(id)], target: targetOf(id) },
        detail: { fields: ['name', 'tax_id'] },
      }),
    };
  },
  'organization.delete': async (context) => {
    const { id, ask } = await prepareDeletion(context);
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
  'organization.remove': async (context) => {
    const { id, ask, membership } = await prepareDeletion(context);
    return {
      ask,
      expected: () => ({
        isOperator: true,
        changes: 2,
        scopes: [membership, organizationScope(id)],
        target: targetOf(id),
        otherActions: ['organization.delete'],
      }),
    };
  },
  'member.join': async (context) => {
    const { id } = await createOrganization(context.ada);
    const bob = await signUp(context.world, context.gateway, 'bob');
    const joins = await createJoins(context.gateway);
    onTestFinished(joins.close);
    return {
      ask: () => runAsOperator(joins.add(id, bob)),
      expected: async () => ({
        isOperator: true,
        scopes: [
          { kind: 'account', id: bob.account_id },
          await membershipScope(context, id, bob.account_id),
        ],
        target: [{ type: 'account', id: bob.account_id }],
        detail: { organization_id: id, role_ids: [MEMBER], teams: [] },
      }),
    };
  },
  'member.update': async (context) => {
    const { path: member, scopes, target } = await withMember(context);
    const request = { method: 'PATCH', path: member, body: { role_ids: [ADMIN] } };
    return {
      ask: () => byAda(context, request),
      expected: () => ({
        ...{ scopes, target },
        detail: { before: { role_ids: [MEMBER] }, after: { role_ids: [ADMIN] } },
      }),
    };
  },
  'member.remove': async (context) => {
    const { path: member, scopes, target } = await withMember(context);
    return {
      ask: () => byAda(context, { method: 'DELETE', path: member }),
      expected: () => ({
        scopes,
        target,
        detail: { before: { role_ids: [MEMBER], team_ids: [] } },
      }),
    };
  },
  'member.leave': async (context) => {
    const { path: member, scopes, target, bob } = await withMember(context);
    return {
      ask: () => bob.person.ask({ method: 'DELETE', path: member, headers: bob.bearer }),
      expected: () => ({
        ...{ scopes, target, detail: { before: { role_ids: [MEMBER], team_ids: [] } } },
        ...{ account: bob.account_id, credential: sessionOf(bob.access_token) },
      }),
    };
  },
  'organization.transfer': async (context) => {
    const { id, bob } = await withMember(context);
    const account_id = bob.account_id;
    const body = { account_id, current_password };
    const scopes = [
      await membershipScope(context, id, context.ada.account_id),
      await membershipScope(context, id, account_id),
    ];
    return {
      ask: () => byAda(context, { path: `${path}/${id}/transfer-ownership`, body }),
      expected: () => ({
        scopes,
        target: [accountOf(context), { type: 'account', id: account_id }],
        detail: { before: { owner: context.ada.account_id }, after: { owner: account_id } },
      }),
    };
  },
  'role.create': async (context) => {
    const { id } = await createOrganization(context.ada);
    return {
      ask: () => byAda(context, { path: `${path}/${id}/roles`, body: { name: 'Helper' } }),
      expected: ({ body }) => ({
        scopes: [organizationScope(id)],
        target: [{ type: 'role', id: (body as { id: string }).id }],
        detail: { after: helper },
      }),
    };
  },
  'role.update': async (context) => {
    const { id } = await createOrganization(context.ada);
    const role = await createRole(context.ada, id, { name: 'Helper' });
    const body = { capabilities: ['tools'] };
    const request = { method: 'PATCH', path: `${path}/${id}/roles/${role.id}`, body };
    return {
      ask: () => byAda(context, request),
      expected: () => ({
        scopes: [organizationScope(id)],
        target: [{ type: 'role', id: role.id }],
        detail: { before: helper, after: { ...helper, ...body } },
      }),
    };
  },
  'role.delete': async (context) => {
    const { id } = await createOrganization(context.ada);
    const role = await createRole(context.ada, id, { name: 'Helper' });
    return {
      ask: () => byAda(context, { method: 'DELETE', path: `${path}/${id}/roles/${role.id}` }),
      expected: () => ({
        scopes: [organizationScope(id)],
        target: [{ type: 'role', id: role.id }],
        detail: { before: helper, replace_with: null },
      }),
    };
  },
  'role.remove': async (context) => {
    const { world, ada } = context;
    const { id } = await createOrganization(ada);
    const role = await createRole(ada, id, { name: 'Helper' });
    const bob = await signUp(world, context.gateway, 'bob');
    const joins = await createJoins(context.gateway);
    onTestFinished(joins.close);
    await joins.add(id, bob, [role.id]);
    const membership = await membershipScope(context, id, bob.account_id);
    const request = `${path}/${id}/roles/${role.id}?replace_with=${MEMBER}`;
    return {
      async ask() {
        const answer = await byAda(context, { method: 'DELETE', path: request });
        const left = () => world.query('SELECT id FROM organization_role WHERE id = $1', [role.id]);
        if (answer.status === 204) await expect.poll(left, { timeout: 10_000 }).toEqual([]);
        return answer;
      },
      expected: () => ({
        isOperator: true,
        changes: 2,
        scopes: [membership, organizationScope(id)],
        target: [{ type: 'role', id: role.id }],
        otherActions: ['role.delete'],
      }),
    };
  },
  'organization.plan': async (context) => {
    const { id } = await createOrganization(context.ada);
    return {
      ask: () => runAsOperator(context.gateway.service.organizations.setPlan(id, 'pro')),
      expected: () => ({
        ...{ isOperator: true, scopes: [organizationScope(id)], target: targetOf(id) },
        detail: { before: { plan: 'free' }, after: { plan: 'pro' } },
      }),
    };
  },
  'organization.suspend': async (context) => {
    const { id } = await createOrganization(context.ada);
    return {
      ask: () => runAsOperator(context.gateway.service.organizations.setStatus(id, 'suspended')),
      expected: () => ({ isOperator: true, scopes: [organizationScope(id)], target: targetOf(id) }),
    };
  },
  'organization.activate': async (context) => {
    const { id } = await createOrganization(context.ada);
    const { organizations } = context.gateway.service;
    await organizations.setStatus(id, 'suspended');
    return {
      ask: () => runAsOperator(organizations.setStatus(id, 'active')),
      expected: () => ({ isOperator: true, scopes: [organizationScope(id)], target: targetOf(id) }),
    };
  },
};
