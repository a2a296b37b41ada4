import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { unprocessable } from '../../platform/errors/refusal.ts';
import type { RequireReauthentication } from '../passwords/reauthentication.ts';
import type { ChangeFactors } from '../second-factor/change.ts';
import { findFactors, hasFactor } from '../second-factor/store.ts';
import { issueRecoveryCodes } from './codes.ts';

/** Issues new recovery codes on request; throws 422 unless the account has a second factor. */
export function createCodeRenewal({
  requireReauthentication,
  changeFactors,
}: {
  requireReauthentication: RequireReauthentication;
  changeFactors: ChangeFactors;
}) {
  return async function renewRecoveryCodes(
    caller: SessionPrincipal,
    currentPassword: string | undefined,
    request: RequestFacts,
  ): Promise<string[]> {
    const reauthentication = await requireReauthentication(caller, currentPassword, request);
    let codes: string[] = [];
    await changeFactors({
      caller,
      request,
      reauthentication,
      action: 'recovery_codes.create',
      async work(transaction) {
        if (!hasFactor(await findFactors(transaction, caller.person))) throw noFactor();
        codes = await issueRecoveryCodes(transaction, caller.person);
      },
    });
    return codes;
  };
}

const noFactor = () =>
  unprocessable('no_second_factor', 'Recovery codes require a second factor. Add one first.');
