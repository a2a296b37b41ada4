import { defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { PresenceProof } from '../schema.ts';
import { TotpConfirmation, TotpConfirmed, TotpSetUp } from '../second-factor/schema.ts';

export const totpRoutes = ({ factors }: Pick<Accounts, 'factors'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/user/totp',
    access: { interactive: 'manage_account' },
    summary: 'Begins to set up an authenticator app; nothing changes before its first code.',
    tag: 'Account',
    body: PresenceProof,
    responses: { 200: TotpSetUp },
    handle: async ({ caller, body, request }) =>
      ok(await factors.totp.start(caller, body.current_password, request)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/totp/confirm',
    access: { interactive: 'manage_account' },
    summary: 'Turns the authenticator app on by its first code.',
    tag: 'Account',
    body: TotpConfirmation,
    responses: { 200: TotpConfirmed },
    handle: async ({ caller, body, request }) =>
      ok({ recovery_codes: await factors.totp.confirm(caller, body.code, request) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/user/totp',
    access: { interactive: 'manage_account' },
    summary: 'Removes the authenticator app.',
    tag: 'Account',
    body: PresenceProof,
    responses: { 204: null },
    async handle({ caller, body, request }) {
      await factors.totp.stop(caller, body.current_password, request);
      return noContent();
    },
  }),
];
