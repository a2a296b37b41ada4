import type { SessionPrincipal } from '../../caller/principal.ts';
import type { Reauthentication, RequestFacts } from '../../caller/route.ts';
import { unprocessable } from '../../platform/errors/refusal.ts';
import type { ChangeFactors } from '../second-factor/change.ts';
import { findFactorSince } from '../second-factor/store.ts';
import { requireOwnProof } from '../sso-access/own-proof.ts';
import { issueRecoveryCodes } from './codes.ts';

interface NewRecoveryCodes {
  recovery_codes: string[];
}

/** Issues new recovery codes on request; throws 422 unless the account has a second factor. */
export function createCodeRenewal({ changeFactors }: { changeFactors: ChangeFactors }) {
  return async function renewRecoveryCodes(
    caller: SessionPrincipal,
    reauthentication: Reauthentication,
    request: RequestFacts,
  ): Promise<NewRecoveryCodes> {
    return request.once<NewRecoveryCodes>(async (save) => {
      let recovery_codes: string[] = [];
      await changeFactors({
        caller,
        request,
        reauthentication,
        action: 'recovery_codes.create',
        async work(transaction) {
          const since = await findFactorSince(transaction, caller.person);
          if (since === null) throw noFactor();
          // The codes that are replaced may be as old as the first factor.
          await requireOwnProof(transaction, caller, since);
          recovery_codes = await issueRecoveryCodes(transaction, caller.person);
        },
        onChanged: (transaction) => save(transaction, { recovery_codes }),
      });
      return { recovery_codes };
    });
  };
}

const noFactor = () =>
  unprocessable('no_second_factor', 'Recovery codes require a second factor. Add one first.');
