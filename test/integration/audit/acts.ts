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
  cameBack,
  current_password,
  idOf,
  linking,
  login,
  operated,
  operating,
  sessionOf,
} from './acting.ts';
import type { Act, There } from './acting.ts';
import { factorActs } from './factor-acts.ts';
import { itemActs } from './item-acts.ts';
import { invitationActs } from './invitation-acts.ts';
import { organizationActs } from './organization-acts.ts';
import { teamActs } from './team-acts.ts';
import { upstreamActs } from './upstream-acts.ts';

/** One way to perform each audited action through HTTP or as an operator. */
export const acts: Partial<Record<Action, Act>> = {
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
      async says() {
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
    says: ({ body }) => {
      const id = sessionOf((body as { access_token: string }).access_token);
      return { credential: id, target: [{ type: 'session', id }], detail: { amr: ['pwd'] } };
    },
  }),
  'session.refuse': async (there) => ({
    ask: () => login(there, 'quartz meadow tunnel 19'),
    says: () => ({ credential: null, outcome: 'refused' }),
  }),
  'session.end': async (there) => ({
    ask: () => byAda(there, { method: 'POST', path: '/api/auth/logout' }),
    says: () => ({ target: [{ type: 'session', id: sessionOf(there.ada.access_token) }] }),
  }),
  'session.end_all': async (there) => ({
    ask: () => byAda(there, { method: 'DELETE', path: '/api/auth/sessions' }),
    says: () => ({ target: [accountOf(there)] }),
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
      says: () => ({ target: [{ type: 'session', id: sessionOf(ada.access_token) }] }),
    };
  },
  'profile.update': async (there) => ({
    ask: () => byAda(there, { method: 'PATCH', path: '/api/user/profile', body: { locale: 'de' } }),
    says: () => ({ target: [accountOf(there)], detail: { fields: ['locale'] } }),
  }),
  'settings.update': async (there) => {
    const body = { call_audit: { arguments: true } };
    return {
      ask: () => byAda(there, { method: 'PATCH', path: '/api/me/settings', body }),
      says: () => ({ target: [accountOf(there)], detail: body }),
    };
  },
  'key.create': async (there) => ({
    ask: () => byAda(there, { path: '/api/keys', body: { name: 'deploy', mcp_capabilities: [] } }),
    says: ({ body }) => ({
      target: [{ type: 'api_key', id: (body as { id: string }).id }],
    }),
  }),
  'key.update': async (there) => {
    const { id } = await createKey(there.ada);
    const change = { method: 'PATCH', path: `/api/keys/${id}`, body: { name: 'renamed' } };
    return {
      ask: () => byAda(there, change),
      says: () => ({ target: [{ type: 'api_key', id }] }),
    };
  },
  'key.revoke': async (there) => {
    const { id } = await createKey(there.ada, { name: 'old' });
    return {
      ask: () => byAda(there, { method: 'DELETE', path: `/api/keys/${id}` }),
      says: () => ({ target: [{ type: 'api_key', id }] }),
    };
  },
  'mcp_settings.update': async (there) => ({
    ask: () =>
      byAda(there, {
        method: 'PUT',
        path: '/api/me/mcp-settings',
        body: { tools: [], platform_prompts: [] },
      }),
    says: () => ({}),
  }),
  'space.export': async (there) => ({
    ask: () => byAda(there, { path: '/api/me/export' }),
    says: () => ({ target: [accountOf(there)] }),
  }),
  'space.import': async (there) => {
    const prompts = [{ name: 'greet', messages: [{ role: 'user', content: 'Hello.' }] }];
    const body = { format: 'toolgate-space', version: 1, prompts };
    return {
      ask: () => byAda(there, { path: '/api/me/import', body }),
      says: () => ({
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
    says: () => ({ target: [accountOf(there)] }),
  }),
  'account.export': async (there) => ({
    ask: () => byAda(there, { path: '/api/user/export' }),
    says: () => ({ target: [accountOf(there)] }),
  }),
  'account.deactivate': async (there) => operating(there, 'deactivated'),
  'account.activate': async (there) => {
    await there.gateway.service.activate(there.ada.email, 'deactivated');
    return operating(there, 'active');
  },
  'account.plan': async (there) => ({
    ask: () => operated(there.gateway.service.setAccountPlan(there.ada.email, 'pro')),
    says: () => ({
      ...{ isOperator: true, target: [accountOf(there)] },
      detail: { before: { plan: 'free' }, after: { plan: 'pro' } },
    }),
  }),
  'account.create': async (there) => {
    const { ask, email } = await cameBack(there, '');
    return {
      ask,
      async says() {
        const id = await idOf(there, 'account', 'email', email);
        const target = [{ type: 'account', id }];
        return {
          account: id,
          credential: null,
          target,
          besides: ['identity.link', 'session.create'],
        };
      },
    };
  },
  'identity.link': async (there) => {
    const { ask, id } = await linking(there);
    return {
      ask,
      says: async () => ({
        target: [{ type: 'identity', id: await id() }],
        detail: { provider: 'oidc' },
      }),
    };
  },
  'identity.unlink': async (there) => {
    const added = await linking(there);
    await added.ask();
    const id = await added.id();
    const path = `/api/user/identities/${id}`;
    return {
      ask: () => byAda(there, { method: 'DELETE', path, body: { current_password } }),
      says: () => ({ target: [{ type: 'identity', id }], detail: { provider: 'oidc' } }),
    };
  },
  'email.ask': async (there) => ({
    ask: () =>
      byAda(there, { path: '/api/user/email', body: { email: newEmail(), current_password } }),
    says: () => ({ target: [accountOf(there)] }),
  }),
  'email.change': async (there) => {
    const token = await createChanging(there.world, there.gateway).linkFor(there.ada, newEmail());
    return {
      ask: () => there.ada.person.ask({ path: '/api/user/email/confirm', body: { token } }),
      says: () => ({ credential: null, target: [accountOf(there)] }),
    };
  },
  'email.undo': async (there) => {
    const { move } = createChanging(there.world, there.gateway);
    const token = await move(there.ada, there.ada.email, newEmail());
    return {
      ask: () => there.ada.person.ask({ path: '/api/user/email/undo', body: { token } }),
      says: () => ({ credential: null, target: [accountOf(there)] }),
    };
  },
  'password.change': async (there) => ({
    ask: () =>
      byAda(there, {
        path: '/api/user/password',
        body: { current_password, password: 'quartz meadow tunnel 19' },
      }),
    says: () => ({ target: [accountOf(there)] }),
  }),
  'password.reset': async (there) => {
    const token = await createResetting(there.world, there.gateway.url).linkFor(there.ada.email);
    const body = { token, password: 'quartz meadow tunnel 19' };
    return {
      ask: () => there.ada.person.ask({ path: '/api/auth/password/reset/confirm', body }),
      says: () => ({ credential: null, target: [accountOf(there)] }),
    };
  },
  'presence.refuse': async (there) => ({
    ask: () =>
      byAda(there, {
        path: '/api/user/password',
        body: { current_password: 'not this one', password: 'quartz meadow tunnel 19' },
      }),
    says: () => ({ outcome: 'refused' }),
  }),
};

/** Signs up a person for an action and prepares it. */
export async function prepare(around: Omit<There, 'ada'>, act: Act) {
  const there = { ...around, ada: await signUp(around.world, around.gateway) };
  return { ...there, ...(await act(there)), session: sessionOf(there.ada.access_token) };
}
