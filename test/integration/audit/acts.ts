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
} from './acting.ts';
import type { PrepareAction, ActionContext } from './acting.ts';
import { factorActs } from './factor-acts.ts';
import { itemActs } from './item-acts.ts';
import { invitationActs } from './invitation-acts.ts';
import { organizationActs } from './organization-acts.ts';
import { teamActs } from './team-acts.ts';
import { upstreamActs } from './upstream-acts.ts';

/** One way to perform each audited action through HTTP or as an operator. */
export const acts: Partial<Record<Action, PrepareAction>> = {
  ...factorActs,
  ...itemActs,
  ...invitationActs,
  ...organizationActs,
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
  'session.create': async (there) => ({
    ask: () => login(there, goodPassword),
    expected: ({ body }) => {
      const id = sessionOf((body as { access_token: string }).access_token);
      return { credential: id, target: [{ type: 'session', id }], detail: { amr: ['pwd'] } };
    },
  }),
  'session.refuse': async (there) => ({
    ask: () => login(there, 'quartz meadow tunnel 19'),
    expected: () => ({ credential: null, outcome: 'refused' }),
  }),
  'session.end': async (there) => ({
    ask: () => byAda(there, { method: 'POST', path: '/api/auth/logout' }),
    expected: () => ({ target: [{ type: 'session', id: sessionOf(there.ada.access_token) }] }),
  }),
  'session.end_all': async (there) => ({
    ask: () => byAda(there, { method: 'DELETE', path: '/api/auth/sessions' }),
    expected: () => ({ target: [accountOf(there)] }),
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
  'profile.update': async (there) => ({
    ask: () => byAda(there, { method: 'PATCH', path: '/api/user/profile', body: { locale: 'de' } }),
    expected: () => ({ target: [accountOf(there)], detail: { fields: ['locale'] } }),
  }),
  'settings.update': async (there) => {
    const body = { call_audit: { arguments: true } };
    return {
      ask: () => byAda(there, { method: 'PATCH', path: '/api/me/settings', body }),
      expected: () => ({ target: [accountOf(there)], detail: body }),
    };
  },
  'key.create': async (there) => ({
    ask: () => byAda(there, { path: '/api/keys', body: { name: 'deploy', mcp_capabilities: [] } }),
    expected: ({ body }) => ({
      target: [{ type: 'api_key', id: (body as { id: string }).id }],
    }),
  }),
  'key.update': async (there) => {
    const { id } = await createKey(there.ada);
    const change = { method: 'PATCH', path: `/api/keys/${id}`, body: { name: 'renamed' } };
    return {
      ask: () => byAda(there, change),
      expected: () => ({ target: [{ type: 'api_key', id }] }),
    };
  },
  'key.revoke': async (there) => {
    const { id } = await createKey(there.ada, { name: 'old' });
    return {
      ask: () => byAda(there, { method: 'DELETE', path: `/api/keys/${id}` }),
      expected: () => ({ target: [{ type: 'api_key', id }] }),
    };
  },
  'mcp_settings.update': async (there) => ({
    ask: () =>
      byAda(there, {
        method: 'PUT',
        path: '/api/me/mcp-settings',
        body: { tools: [], platform_prompts: [] },
      }),
    expected: () => ({}),
  }),
  'space.export': async (there) => ({
    ask: () => byAda(there, { path: '/api/me/export' }),
    expected: () => ({ target: [accountOf(there)] }),
  }),
  'space.import': async (there) => {
    const prompts = [{ name: 'greet', messages: [{ role: 'user', content: 'Hello.' }] }];
    const body = { format: 'toolgate-space', version: 1, prompts };
    return {
      ask: () => byAda(there, { path: '/api/me/import', body }),
      expected: () => ({
        target: [accountOf(there)],
        detail: { created: 1, replaced: 0, skipped: 0 },
      }),
    };
  },
  'account.delete': async (there) => ({
    ask: () =>
      byAda(there, {
        method: 'DELETE',
        path: '/api/user/account',
        body: { confirm: there.ada.email, current_password },
      }),
    expected: () => ({ target: [accountOf(there)] }),
  }),
  'account.export': async (there) => ({
    ask: () => byAda(there, { path: '/api/user/export' }),
    expected: () => ({ target: [accountOf(there)] }),
  }),
  'account.deactivate': async (there) => operatorChange(there, 'deactivated'),
  'account.activate': async (there) => {
    await there.gateway.service.activate(there.ada.email, 'deactivated');
    return operatorChange(there, 'active');
  },
  'account.plan': async (there) => ({
    ask: () => runAsOperator(there.gateway.service.setAccountPlan(there.ada.email, 'pro')),
    expected: () => ({
      ...{ isOperator: true, target: [accountOf(there)] },
      detail: { before: { plan: 'free' }, after: { plan: 'pro' } },
    }),
  }),
  'account.create': async (there) => {
    const { ask, email } = await prepareCallback(there, '');
    return {
      ask,
      async expected() {
        const id = await idOf(there, 'account', 'email', email);
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
  'identity.link': async (there) => {
    const { ask, id } = await prepareLinking(there);
    return {
      ask,
      expected: async () => ({
        target: [{ type: 'identity', id: await id() }],
        detail: { provider: 'oidc' },
      }),
    };
  },
  'identity.unlink': async (there) => {
    const added = await prepareLinking(there);
    await added.ask();
    const id = await added.id();
    const path = `/api/user/identities/${id}`;
    return {
      ask: () => byAda(there, { method: 'DELETE', path, body: { current_password } }),
      expected: () => ({ target: [{ type: 'identity', id }], detail: { provider: 'oidc' } }),
    };
  },
  'email.ask': async (there) => ({
    ask: () =>
      byAda(there, { path: '/api/user/email', body: { email: newEmail(), current_password } }),
    expected: () => ({ target: [accountOf(there)] }),
  }),
  'email.change': async (there) => {
    const token = await createChanging(there.world, there.gateway).linkFor(there.ada, newEmail());
    return {
      ask: () => there.ada.person.ask({ path: '/api/user/email/confirm', body: { token } }),
      expected: () => ({ credential: null, target: [accountOf(there)] }),
    };
  },
  'email.undo': async (there) => {
    const { move } = createChanging(there.world, there.gateway);
    const token = await move(there.ada, there.ada.email, newEmail());
    return {
      ask: () => there.ada.person.ask({ path: '/api/user/email/undo', body: { token } }),
      expected: () => ({ credential: null, target: [accountOf(there)] }),
    };
  },
  'password.change': async (there) => ({
    ask: () =>
      byAda(there, {
        path: '/api/user/password',
        body: { current_password, password: 'quartz meadow tunnel 19' },
      }),
    expected: () => ({ target: [accountOf(there)] }),
  }),
  'password.reset': async (there) => {
    const token = await createResetting(there.world, there.gateway.url).linkFor(there.ada.email);
    const body = { token, password: 'quartz meadow tunnel 19' };
    return {
      ask: () => there.ada.person.ask({ path: '/api/auth/password/reset/confirm', body }),
      expected: () => ({ credential: null, target: [accountOf(there)] }),
    };
  },
  'presence.refuse': async (there) => ({
    ask: () =>
      byAda(there, {
        path: '/api/user/password',
        body: { current_password: 'not this one', password: 'quartz meadow tunnel 19' },
      }),
    expected: () => ({ outcome: 'refused' }),
  }),
};

/** Signs up a person for an action and prepares it. */
export async function prepare(around: Omit<ActionContext, 'ada'>, act: PrepareAction) {
  const there = { ...around, ada: await signUp(around.world, around.gateway) };
  return { ...there, ...(await act(there)), session: sessionOf(there.ada.access_token) };
}
