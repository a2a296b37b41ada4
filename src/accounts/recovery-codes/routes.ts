import { created, defineRoute } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { PresenceProof, RecoveryCodesAnswer } from '../schema.ts';

export const recoveryCodeRoutes = ({ factors }: Pick<Accounts, 'factors'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/user/recovery-codes',
    access: { interactive: 'manage_account' },
    summary: 'Makes ten new recovery codes; the old ones stop working.',
    tag: 'Account',
    body: PresenceProof,
    responses: { 201: RecoveryCodesAnswer },
    async handle({ caller, body, request }) {
      const { current_password } = body;
      const recovery_codes = await factors.renewRecoveryCodes(caller, current_password, request);
      return created({ recovery_codes });
    },
  }),
];
