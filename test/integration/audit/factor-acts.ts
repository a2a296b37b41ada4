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
import { accountOf, byAda, current_password, login } from './acting.ts';
import type { PrepareAction, ActionContext } from './acting.ts';

const phoneOf = ({ gateway }: ActionContext) => createAuthenticator(gateway.config.PUBLIC_URL);

/** Actions on second factors. */
export const factorActs: Partial<Record<Action, PrepareAction>> = {
  'passkey.create': async (there) => {
    const response = phoneOf(there).create(await creationOptions(there.ada));
    return {
      ask: () => byAda(there, { path: '/api/user/passkeys', body: { name: 'Phone', response } }),
      expected: ({ body }) => {
        const { id } = (body as { passkey: { id: string } }).passkey;
        return { target: [{ type: 'passkey', id }] };
      },
    };
  },
  'passkey.update': async (there) => {
    const { id } = await addPasskey(there.ada, phoneOf(there));
    const change = { method: 'PATCH', path: `/api/user/passkeys/${id}`, body: { name: 'Old' } };
    return {
      ask: () => byAda(there, change),
      expected: () => ({ target: [{ type: 'passkey', id }] }),
    };
  },
  'passkey.delete': async (there) => {
    const { id } = await addPasskey(there.ada, phoneOf(there));
    const path = `/api/user/passkeys/${id}`;
    return {
      ask: () => byAda(there, { method: 'DELETE', path, body: { current_password } }),
      expected: () => ({ target: [{ type: 'passkey', id }] }),
    };
  },
  'totp.enable': async (there) => {
    const { body } = await there.ada.person.ask<{ secret: string }>({
      path: '/api/user/totp',
      body: { current_password },
      headers: there.ada.bearer,
    });
    return {
      ask: () =>
        byAda(there, { path: '/api/user/totp/confirm', body: { code: codeOf(body.secret) } }),
      expected: () => ({ target: [accountOf(there)] }),
    };
  },
  'totp.refuse': async (there) => {
    const start = { path: '/api/user/totp', body: { current_password } };
    const { body } = await byAda(there, start);
    const code = wrongCode((body as { secret: string }).secret);
    return {
      ask: () => byAda(there, { path: '/api/user/totp/confirm', body: { code } }),
      expected: () => ({ outcome: 'refused' }),
    };
  },
  'totp.disable': async (there) => {
    await addTotp(there.world, there.ada);
    return {
      ask: () =>
        byAda(there, { method: 'DELETE', path: '/api/user/totp', body: { current_password } }),
      expected: () => ({ target: [accountOf(there)] }),
    };
  },
  'recovery_codes.create': async (there) => {
    await addTotp(there.world, there.ada);
    return {
      ask: () => byAda(there, { path: '/api/user/recovery-codes', body: { current_password } }),
      expected: () => ({ target: [accountOf(there)] }),
    };
  },
  'recovery_codes.use': async (there) => {
    const { recovery_codes } = await addTotp(there.world, there.ada);
    const { token } = (await challenge(there.ada)).second_factor;
    return {
      ask: () => answer(there.gateway, { token, code: recovery_codes[0] }),
      expected: () => ({ credential: null, otherActions: ['session.create'] }),
    };
  },
  'session.challenge': async (there) => {
    await addTotp(there.world, there.ada);
    return {
      ask: () => login(there, goodPassword),
      expected: () => ({ credential: null, detail: { amr: ['pwd'] } }),
    };
  },
};
