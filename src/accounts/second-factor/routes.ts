import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import { reauthenticationErrors } from '../../caller/route-errors.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { ReauthenticationProof, RecoveryCodesResponse } from '../schema.ts';
import { FactorState, TotpConfirmation, TotpConfirmed, TotpSetUp } from './schema.ts';

const tag = 'Account';

/** Routes for second factors; passkeys have their own routes. */
export const secondFactorRoutes = ({ factors }: Pick<Accounts, 'factors'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/user/second-factors',
    access: { interactive: 'manage_account' },
    operation_id: 'listSecondFactors',
    summary: 'List second factors',
    tag,
    responses: { 200: FactorState },
    handle: async ({ caller }) => ok(await factors.state(caller)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/totp',
    access: { interactive: 'manage_account' },
    operation_id: 'startTotpSetup',
    summary: 'Start setting up an authenticator app; takes effect with its first code',
    tag,
    body: ReauthenticationProof,
    responses: { 200: TotpSetUp },
    errors: { ...reauthenticationErrors, 409: ['totp_on'] },
    handle: async ({ caller, body, request }) =>
      ok(await factors.totp.start(caller, body.current_password, request)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/totp/confirm',
    access: { interactive: 'manage_account' },
    operation_id: 'confirmTotp',
    summary: 'Enable an authenticator app with its first code',
    tag,
    body: TotpConfirmation,
    responses: { 200: TotpConfirmed },
    errors: { 422: ['code_invalid', 'secret_unreadable'], 429: ['rate_limited'] },
    handle: async ({ caller, body, request }) =>
      ok({ recovery_codes: await factors.totp.confirm(caller, body.code, request) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/user/totp',
    access: { interactive: 'manage_account' },
    operation_id: 'removeTotp',
    summary: 'Remove the authenticator app',
    tag,
    body: ReauthenticationProof,
    responses: { 204: null },
    errors: { ...reauthenticationErrors, 404: ['not_found'] },
    async handle({ caller, body, request }) {
      await factors.totp.stop(caller, body.current_password, request);
      return noContent();
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/recovery-codes',
    access: { interactive: 'manage_account' },
    operation_id: 'createRecoveryCodes',
    summary: 'Create ten recovery codes; the old ones stop working',
    tag,
    body: ReauthenticationProof,
    responses: { 201: RecoveryCodesResponse },
    errors: { ...reauthenticationErrors, 422: ['no_second_factor'] },
    async handle({ caller, body, request }) {
      const { current_password } = body;
      const recovery_codes = await factors.renewRecoveryCodes(caller, current_password, request);
      return created({ recovery_codes });
    },
  }),
];
