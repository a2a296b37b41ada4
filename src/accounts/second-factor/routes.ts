import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import { ownSignInErrors } from '../../caller/route-errors.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { ReauthenticationProof } from '../../caller/schema.ts';
import { RecoveryCodesResponse } from '../schema.ts';
import { FactorState, TotpConfirmation, TotpConfirmed, TotpSetUp } from './schema.ts';

const tag = 'Second factors';

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
    reauthentication: 'first',
    operation_id: 'startTotpSetup',
    summary: 'Start authenticator app setup',
    description: 'The secret takes effect when its first code is confirmed within ten minutes.',
    tag,
    body: ReauthenticationProof,
    responses: { 200: TotpSetUp },
    errors: { 409: ['totp_on'] },
    handle: async ({ caller, reauthentication }) =>
      ok(await factors.totp.start(caller, reauthentication)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/totp/confirm',
    access: { interactive: 'manage_account' },
    operation_id: 'confirmTotp',
    summary: 'Confirm an authenticator app',
    description: 'With the first second factor, the response shows the recovery codes.',
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
    reauthentication: 'first',
    operation_id: 'removeTotp',
    summary: 'Remove the authenticator app',
    tag,
    body: ReauthenticationProof,
    responses: { 204: null },
    errors: [{ 404: ['not_found'] }, ownSignInErrors],
    async handle({ caller, reauthentication, request }) {
      await factors.totp.stop(caller, reauthentication, request);
      return noContent();
    },
  }),
  recoveryCodesRoute(factors),
];

const recoveryCodesRoute = (factors: Accounts['factors']): Route =>
  defineRoute({
    method: 'POST',
    path: '/api/user/recovery-codes',
    access: { interactive: 'manage_account' },
    reauthentication: 'first',
    operation_id: 'createRecoveryCodes',
    summary: 'Create recovery codes',
    description: 'Replaces the old codes with ten new ones.',
    tag,
    body: ReauthenticationProof,
    responses: { 201: RecoveryCodesResponse },
    shown_once: ['recovery_codes'],
    errors: [{ 422: ['no_second_factor'] }, ownSignInErrors],
    handle: async ({ caller, reauthentication, request }) =>
      created(await factors.renewRecoveryCodes(caller, reauthentication, request)),
  });
