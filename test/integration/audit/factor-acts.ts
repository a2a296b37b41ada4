import type { Action } from '../../../src/caller/actions.ts';
import { createAuthenticator } from '../../support/people/authenticator.ts';
import {
  addPasskey,
  addTotp,
  answer,
  challenge,
  codeOf,
  creationOptions,
  wrongCode,
} from '../../support/people/factors.ts';
import { goodPassword } from '../../support/people/people.ts';
import { accountOf, byAda, current_password, login } from './action-context.ts';
import type { PrepareAction, ActionContext } from './action-context.ts';

const phoneOf = ({ gateway }: ActionContext) => createAuthenticator(gateway.config.PUBLIC_URL);

/** The audited actions on second factors. */
export const factorActs: Partial<Record<Action, PrepareAction>> = {
  'passkey.create': async (context) => {
    const response = phoneOf(context).create(await creationOptions(context.ada));
    return {
      ask: () => byAda(context, { path: '/api/user/passkeys', body: { name: 'Phone', response } }),
      expected: ({ body }) => {
        const { id } = (body as { passkey: { id: string } }).passkey;
        return { target: [{ type: 'passkey', id }] };
      },
    };
  },
  'passkey.update': async (context) => {
    const { id } = await addPasskey(context.ada, phoneOf(context));
    const change = { method: 'PATCH', path: `/api/user/passkeys/${id}`, body: { name: 'Old' } };
    return {
      ask: () => byAda(context, change),
      expected: () => ({ target: [{ type: 'passkey', id }] }),
    };
  },
  'passkey.delete': async (context) => {
    const { id } = await addPasskey(context.ada, phoneOf(context));
    const path = `/api/user/passkeys/${id}`;
    return {
      ask: () => byAda(context, { method: 'DELETE', path, body: { current_password } }),
      expected: () => ({ target: [{ type: 'passkey', id }] }),
    };
  },
  'totp.enable': async (context) => {
    const { body } = await context.ada.person.ask<{ secret: string }>({
      path: '/api/user/totp',
      body: { current_password },
      headers: context.ada.bearer,
    });
    return {
      ask: () =>
        byAda(context, { path: '/api/user/totp/confirm', body: { code: codeOf(body.secret) } }),
      expected: () => ({ target: [accountOf(context)] }),
    };
  },
  'totp.refuse': async (context) => {
    const start = { path: '/api/user/totp', body: { current_password } };
    const { body } = await byAda(context, start);
    const code = wrongCode((body as { secret: string }).secret);
    return {
      ask: () => byAda(context, { path: '/api/user/totp/confirm', body: { code } }),
      expected: () => ({ outcome: 'refused' }),
    };
  },
  'totp.disable': async (context) => {
    await addTotp(context.world, context.ada);
    return {
      ask: () =>
        byAda(context, { method: 'DELETE', path: '/api/user/totp', body: { current_password } }),
      expected: () => ({ target: [accountOf(context)] }),
    };
  },
  'recovery_codes.create': async (context) => {
    await addTotp(context.world, context.ada);
    return {
      ask: () => byAda(context, { path: '/api/user/recovery-codes', body: { current_password } }),
      expected: () => ({ target: [accountOf(context)] }),
    };
  },
  'recovery_codes.use': async (context) => {
    const { recovery_codes } = await addTotp(context.world, context.ada);
    const { token } = (await challenge(context.ada)).second_factor;
    return {
      ask: () => answer(context.gateway, { token, code: recovery_codes[0] }),
      expected: () => ({ credential: null, otherActions: ['session.create'] }),
    };
  },
  'session.challenge': async (context) => {
    await addTotp(context.world, context.ada);
    return {
      ask: () => login(context, goodPassword),
      expected: () => ({ credential: null, detail: { amr: ['pwd'] } }),
    };
  },
};
