import { z } from 'zod';
import { FirstRecoveryCodes } from '../recovery-codes/schema.ts';
import { Code } from '../second-factor/schema.ts';

export const TotpSetUp = z.object({
  secret: z.string().describe('Base32, for typing it in; shown this one time.'),
  otpauth_uri: z.string().describe('The same for a QR code.'),
});
export type TotpSetUp = z.infer<typeof TotpSetUp>;

export const TotpConfirmation = z.object({ code: Code });
export const TotpConfirmed = z.object({ recovery_codes: FirstRecoveryCodes });
