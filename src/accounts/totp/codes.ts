import { verifySync } from 'otplib';
import type { Transaction } from '../../platform/postgres/database.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { consumeStep, findTotp, totpSeeds } from './store.ts';
import type { TotpRow } from './store.ts';

const STEP_SECONDS = 30;

const { label, ownerOf } = totpSeeds;

/**
 * Verifies authenticator app codes (RFC 6238). A code works only once, and not after a newer one.
 */
export function createTotpCodes(secrets: Secrets) {
  /**
   * Returns the time step of a code, at most one step off database time; null if the code is
   * invalid.
   */
  function stepOf(accountId: string, row: TotpRow, code: string): number | null {
    const token = code.replaceAll(/\s/g, '');
    if (!/^\d{6}$/.test(token)) return null;
    const found = verifySync({
      secret: secrets.decrypt(label, ownerOf({ account_id: accountId }), row.seed),
      token,
      epoch: row.now,
      epochTolerance: STEP_SECONDS,
      afterTimeStep: row.last_step,
    });
    return found.valid ? Math.floor(row.now / STEP_SECONDS) + found.delta : null;
  }

  return {
    /** Encrypts a seed for its row. */
    seal: (account_id: string, seed: string) =>
      secrets.encrypt(label, ownerOf({ account_id }), seed),
    stepOf,
    /** Consumes a code in the sign-in's transaction; false if it is wrong or already used. */
    async use(transaction: Transaction, accountId: string, code: string) {
      const row = await findTotp(transaction, accountId);
      const step = row && stepOf(accountId, row, code);
      return step !== null && consumeStep(transaction, accountId, step);
    },
  };
}
export type TotpCodes = ReturnType<typeof createTotpCodes>;
