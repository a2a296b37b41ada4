import { expect } from 'vitest';
import type { Action } from '../../../src/caller/actions.ts';
import {
  createKey,
  createPerson,
  goodPassword,
  newEmail,
  signUp,
  tokenOf,
} from '../../support/people/people.ts';
import { createChanging } from '../accounts/email-change/changing-email.ts';
import { createResetting } from '../accounts/passwords/resetting.ts';
import {
  accountOf,
  byAda,
  prepareCallback,
  current_password,
  idOf,
  prepareLinking,
  login,
  runAsOperator,
  operatorChange,
  sessionOf,
} from './action-context.ts';
import type { PrepareAction, ActionContext } from './action-context.ts';
import { factorActs } from './factor-acts.ts';
import { itemActs } from './item-acts.ts';
import { invitationActs } from './invitation-acts.ts';
import { oauthActs } from './oauth-acts.ts';
import { organizationActs } from './organization-acts.ts';
import { reviewActs } from './review-acts.ts';
import { scimActs } from './scim-acts.ts';
import { ssoActs } from './sso-acts.ts';
import { teamActs } from './team-acts.ts';
import { upstreamActs } from './upstream-acts.ts';

/** The audited fields of a key without grants, with this name. */
const keyNamed = (name: string) =>
  expect.objectContaining({ name, grants: [], runs_in: null, expires_at: null });

/** One way to perform each audited action over HTTP or as an operator. */
export const acts: Partial<Record<Action, PrepareAction>> = {
  ...factorActs,
  ...itemActs,
  ...invitationActs,
  ...oauthActs,
  ...organizationActs,
  ...reviewActs,
  ...scimActs,
  ...ssoActs,
  ...teamActs,
  ...upstreamActs,
  'account.verify': async ({ world, gateway }) => {
    const person = createPerson(gateway.url);
    const email = newEmail();
    await person.register({ email });
    const token = tokenOf(await world.mailbox.next(email));
    return {
      ask: () => person.ask({ path: '/api/auth/verify-email', body: { token } }),
      async expected() {
        const [row] = await world.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
          email,
        ]);
        const { id } = row!;
        return { account: id, credential: null, target: [{ type: 'account', id }] };
      },
    };
  },
  'session.create': async (context) => ({
    ask: () => login(context, goodPassword),
    expected: ({ body }) => {
      const id = sessionOf((body as { access_token: string }).access_token);
      return { credential: id, target: [{ type: 'session', id }], detail: { amr: ['pwd'] } };
    },
  }),
  'session.refuse': async (context) => ({
    ask: () => login(context, 'quartz meadow tunnel 19'),
    expected: () => ({ credential: null, outcome: 'refused' }),
  }),
  'session.end': async (context) => ({
    ask: () => byAda(context, { method: 'POST', path: '/api/auth/logout' }),
    expected: () => ({ target: [{ type: 'session', id: sessionOf(context.ada.access_token) }] }),
  }),
  'session.end_all': async (context) => ({
    ask: () => byAda(context, { method: 'DELETE', path: '/api/auth/sessions' }),
    expected: () => ({ target: [accountOf(context)] }),
  }),
  'session.replay': async ({ world, ada }) => {
    const cookie = `refresh=${ada.cookies.get('refresh')}`;
    const refresh = () =>
      ada.person.ask<unknown>({ method: 'POST', path: '/api/auth/refresh', headers: { cookie } });
    await refresh();
    await world.query(
      "UPDATE account_session SET rotated_at = now() - interval '11 seconds' WHERE id = $1",
      [sessionOf(ada.access_token)],
    );
    return {
      ask: refresh,
      expected: () => ({ target: [{ type: 'session', id: sessionOf(ada.access_token) }] }),
    };
  },
  'profile.update': async (context) => ({
    ask: () =>
      byAda(context, { method: 'PATCH', path: '/api/user/profile', body: { locale: 'de' } }),
    expected: () => ({ target: [accountOf(context)], detail: { fields: ['locale'] } }),
  }),
  'settings.update': async (context) => {
    const body = { call_audit: { arguments: true } };
    return {
      ask: () => byAda(context, { method: 'PATCH', path: '/api/me/settings', body }),
      expected: () => ({ target: [accountOf(context)], detail: body }),
    };
  },
  'key.create': async (context) => ({
    ask: () =>
      byAda(context, { path: '/api/keys', body: { name: 'deploy', mcp_capabilities: [] } }),
    expected: ({ body }) => ({
      target: [{ type: 'api_key', id: (body as { id: string }).id }],
      detail: { after: keyNamed('deploy') },
    }),
  }),
  'key.update': async (context) => {
    const { id } = await createKey(context.ada, { name: 'first' });
    const change = { method: 'PATCH', path: `/api/keys/${id}`, body: { name: 'renamed' } };
    return {
      ask: () => byAda(context, change),
      expected: () => ({
        target: [{ type: 'api_key', id }],
        detail: { before: keyNamed('first'), after: keyNamed('renamed') },
      }),
    };
  },
  'key.revoke': async (context) => {
    const { id } = await createKey(context.ada, { name: 'old' });
    return {
      ask: () => byAda(context, { method: 'DELETE', path: `/api/keys/${id}` }),
      expected: () => ({
        target: [{ type: 'api_key', id }],
        detail: { before: keyNamed('old') },
      }),
    };
  },
  'mcp_settings.update': async (context) => ({
    ask: () =>
      byAda(context, {
        method: 'PUT',
        path: '/api/me/mcp-settings',
        body: { tools: [], platform_prompts: [] },
      }),
    expected: () => ({}),
  }),
  'space.export': async (context) => ({
    ask: () => byAda(context, { path: '/api/me/export' }),
    expected: () => ({ target: [accountOf(context)] }),
  }),
  'space.import': async (context) => {
    const prompts = [{ name: 'greet', messages: [{ role: 'user', content: 'Hello.' }] }];
    const body = { format: 'toolgate-space', version: 1, prompts };
    return {
      ask: () => byAda(context, { path: '/api/me/import', body }),
      expected: () => ({
        target: [accountOf(context)],
        detail: { created: 1, replaced: 0, skipped: 0 },
      }),
    };
  },
  'account.delete': async (context) => ({
    ask: () =>
      byAda(context, {
        method: 'DELETE',
        path: '/api/user/account',
        body: { confirm: context.ada.email, current_password },
      }),
    expected: () => ({ target: [accountOf(context)] }),
  }),
  'account.export': async (context) => ({
    ask: () => byAda(context, { path: '/api/user/export' }),
    expected: () => ({ target: [accountOf(context)] }),
  }),
  'account.deactivate': async (context) => operatorChange(context, 'deactivated'),
  'account.activate': async (context) => {
    await context.gateway.service.activate(context.ada.email, 'deactivated');
    return operatorChange(context, 'active');
  },
  'account.plan': async (context) => ({
    ask: () => runAsOperator(context.gateway.service.setAccountPlan(context.ada.email, 'pro')),
    expected: () => ({
      ...{ isOperator: true, target: [accountOf(context)] },
      detail: { before: { plan: 'free' }, after: { plan: 'pro' } },
    }),
  }),
  'account.create': async (context) => {
    const { ask, email } = await prepareCallback(context, '');
    return {
      ask,
      async expected() {
        const id = await idOf(context, 'account', 'email', email);
        const target = [{ type: 'account', id }];
        return {
          account: id,
          credential: null,
          target,
          otherActions: ['identity.link', 'session.create'],
        };
      },
    };
  },
  'identity.link': async (context) => {
    const { ask, id } = await prepareLinking(context);
    return {
      ask,
      expected: async () => ({
        target: [{ type: 'identity', id: await id() }],
        detail: { provider: 'oidc' },
      }),
    };
  },
  'identity.unlink': async (context) => {
    const added = await prepareLinking(context);
    await added.ask();
    const id = await added.id();
    const path = `/api/user/identities/${id}`;
    return {
      ask: () => byAda(context, { method: 'DELETE', path, body: { current_password } }),
      expected: () => ({ target: [{ type: 'identity', id }], detail: { provider: 'oidc' } }),
    };
  },
  'email.request': async (context) => ({
    ask: () =>
      byAda(context, { path: '/api/user/email', body: { email: newEmail(), current_password } }),
    expected: () => ({ target: [accountOf(context)] }),
  }),
  'email.change': async (context) => {
    const token = await createChanging(context.world, context.gateway).linkFor(
      context.ada,
      newEmail(),
    );
    return {
      ask: () => context.ada.person.ask({ path: '/api/user/email/confirm', body: { token } }),
      expected: () => ({ credential: null, target: [accountOf(context)] }),
    };
  },
  'email.undo': async (context) => {
    const { move } = createChanging(context.world, context.gateway);
    const token = await move(context.ada, context.ada.email, newEmail());
    return {
      ask: () => context.ada.person.ask({ path: '/api/user/email/undo', body: { token } }),
      expected: () => ({ credential: null, target: [accountOf(context)] }),
    };
  },
  'password.change': async (context) => ({
    ask: () =>
      byAda(context, {
        path: '/api/user/password',
        body: { current_password, password: 'quartz meadow tunnel 19' },
      }),
    expected: () => ({ target: [accountOf(context)] }),
  }),
  'password.reset': async (context) => {
    const token = await createResetting(context.world, context.gateway.url).linkFor(
      context.ada.email,
    );
    const body = { token, password: 'quartz meadow tunnel 19' };
    return {
      ask: () => context.ada.person.ask({ path: '/api/auth/password/reset/confirm', body }),
      expected: () => ({ credential: null, target: [accountOf(context)] }),
    };
  },
  'presence.refuse': async (context) => ({
    ask: () =>
      byAda(context, {
        path: '/api/user/password',
        body: { current_password: 'not this one', password: 'quartz meadow tunnel 19' },
      }),
    expected: () => ({ outcome: 'refused' }),
  }),
};

/** Signs up a person for an action and prepares it. */
export async function prepare(base: Omit<ActionContext, 'ada'>, act: PrepareAction) {
  const context = { ...base, ada: await signUp(base.world, base.gateway) };
  return { ...context, ...(await act(context)), session: sessionOf(context.ada.access_token) };
}
