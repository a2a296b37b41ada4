import { verifySync } from 'otplib';
import type { Transaction } from '../../platform/postgres/database.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { consumeStep, findTotp, totpSeeds } from './store.ts';
import type { TotpRow } from './store.ts';

export interface TotpCodes {
  /** Encrypts a seed for its row. */
  seal(accountId: string, seed: string): Buffer;
  /**
   * Returns the time step of a code, at most one step off database time; null if the code is
   * invalid.
   */
  stepOf(accountId: string, row: TotpRow, code: string): number | null;
  /** Consumes a code in the sign-in's transaction; false if it is wrong or already used. */
  use(transaction: Transaction, accountId: string, code: string): Promise<boolean>;
}

const STEP_SECONDS = 30;

const { label, ownerOf } = totpSeeds;

/**
 * Verifies authenticator app codes (RFC 6238). A code works only once, and not after a newer one.
 */
export function createTotpCodes(secrets: Secrets): TotpCodes {
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
    seal: (account_id, seed) => secrets.encrypt(label, ownerOf({ account_id }), seed),
    stepOf,
    async use(transaction, accountId, code) {
      const row = await findTotp(transaction, accountId);
      const step = row && stepOf(accountId, row, code);
      return step !== null && consumeStep(transaction, accountId, step);
    },
  };
}
