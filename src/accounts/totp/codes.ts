import { verifySync } from 'otplib';
import type { Transaction } from '../../platform/postgres/database.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { consumeStep, findTotp } from './store.ts';
import type { TotpRow } from './store.ts';

export interface TotpCodes {
  /** A seed as its row holds it. */
  seal(accountId: string, seed: string): Buffer;
  /** The time step of a code, at most one away from database time; null if it is none. */
  stepOf(accountId: string, row: TotpRow, code: string): number | null;
  /** Uses a code up in the transaction of the sign-in; false if it is wrong or was used. */
  use(transaction: Transaction, accountId: string, code: string): Promise<boolean>;
}

const STEP_SECONDS = 30;
const LABEL = 'totp';

/** Codes of an authenticator app (RFC 6238); each counts once, and none older than a used one. */
export function createTotpCodes(secrets: Secrets): TotpCodes {
  function stepOf(accountId: string, row: TotpRow, code: string): number | null {
    const token = code.replaceAll(/\s/g, '');
    if (!/^\d{6}$/.test(token)) return null;
    const found = verifySync({
      secret: secrets.decrypt(LABEL, accountId, row.seed),
      token,
      epoch: row.now,
      epochTolerance: STEP_SECONDS,
      afterTimeStep: row.last_step,
    });
    return found.valid ? Math.floor(row.now / STEP_SECONDS) + found.delta : null;
  }

  return {
    seal: (accountId, seed) => secrets.encrypt(LABEL, accountId, seed),
    stepOf,
    async use(transaction, accountId, code) {
      const row = await findTotp(transaction, accountId);
      const step = row && stepOf(accountId, row, code);
      return step !== null && consumeStep(transaction, accountId, step);
    },
  };
}
