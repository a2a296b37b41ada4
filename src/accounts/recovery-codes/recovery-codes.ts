import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/database.ts';
import { unprocessable } from '../../platform/refusal.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { RequirePresence } from '../passwords/presence.ts';
import type { ChangeFactors } from '../second-factor/change.ts';
import { findFactors, hasFactor } from '../second-factor/store.ts';
import { newRecoveryCodes, readRecoveryCode } from './codes.ts';
import { consumeRecoveryCode, replaceRecoveryCodes } from './store.ts';

/** Kills the codes there were; the new ones are shown once. */
export async function issueRecoveryCodes(
  transaction: Transaction,
  accountId: string,
): Promise<string[]> {
  const codes = newRecoveryCodes();
  const hashes = codes.map((code) => hashSecret(readRecoveryCode(code)!));
  await replaceRecoveryCodes(transaction, accountId, hashes);
  return codes;
}

/** Uses a code up; false if the account has no such code, or no longer. */
export async function useRecoveryCode(
  transaction: Transaction,
  accountId: string,
  text: string,
): Promise<boolean> {
  const code = readRecoveryCode(text);
  return code !== null && consumeRecoveryCode(transaction, accountId, hashSecret(code));
}

/** New codes on demand, for whoever has a factor they stand in for. */
export function createRenewal({
  requirePresence,
  changeFactors,
}: {
  requirePresence: RequirePresence;
  changeFactors: ChangeFactors;
}) {
  return async function renewRecoveryCodes(
    caller: SessionPrincipal,
    currentPassword: string | undefined,
    request: RequestFacts,
  ): Promise<string[]> {
    const presence = await requirePresence(caller, currentPassword, request);
    let codes: string[] = [];
    await changeFactors({
      caller,
      request,
      presence,
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
  unprocessable('no_second_factor', 'Recovery codes come with a second factor; add one first.');
