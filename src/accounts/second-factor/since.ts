import type { Connection } from '../../platform/database.ts';
import { dropPasskeysSince } from '../passkeys/store.ts';
import { dropRecoveryCodes } from '../recovery-codes/store.ts';
import { dropTotpSince } from '../totp/store.ts';
import { findFactors, hasFactor } from './store.ts';

/** Takes back the factors an account that is held was given since then. */
export async function dropFactorsSince(
  transaction: Connection,
  given: { account_id: string; since: string },
): Promise<void> {
  const { account_id } = given;
  await dropTotpSince(transaction, given);
  await dropPasskeysSince(transaction, given);
  if (hasFactor(await findFactors(transaction, account_id))) return;
  await dropRecoveryCodes(transaction, account_id);
}
