import { z } from 'zod';

const RecoveryCodes = z
  .array(z.string())
  .describe('Each lets in once when the second factor is lost; shown this one time.');
export const RecoveryCodesAnswer = z.object({ recovery_codes: RecoveryCodes });

/** Null: the account had a second factor before, and keeps its codes. */
export const FirstRecoveryCodes = RecoveryCodes.nullable();
