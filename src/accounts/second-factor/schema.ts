import { z } from 'zod';
import { FirstRecoveryCodes } from '../schema.ts';
import { Assertion, Passkey } from '../passkeys/schema.ts';

export const Method = z.enum(['totp', 'passkey', 'recovery_code']);
export type Method = z.infer<typeof Method>;

/** Response in place of a session if the account requires a second factor. */
export const SecondFactorResponse = z
  .object({
    second_factor: z.object({
      token: z.string().describe('Valid for five minutes and five attempts.'),
      methods: z.array(Method),
    }),
  })
  .meta({ id: 'SecondFactorRequired' });
export type SecondFactorResponse = z.infer<typeof SecondFactorResponse>;

const PendingSignInToken = z.string().max(200);
const Code = z
  .string()
  .max(64)
  .describe('Six digits from an authenticator app, or a recovery code.');

export const SecondFactor = z
  .object({ token: PendingSignInToken, code: Code.optional(), passkey: Assertion.optional() })
  .refine(({ code, passkey }) => (code === undefined) !== (passkey === undefined), {
    error: 'must have either a code or a passkey response',
  })
  .meta({ id: 'SecondFactorAnswer' });
export type SecondFactor = z.infer<typeof SecondFactor>;

export const SecondFactorToken = z
  .object({ token: PendingSignInToken })
  .meta({ id: 'SecondFactorToken' });

export const FactorState = z
  .object({
    totp: z.boolean(),
    passkeys: z.array(Passkey),
    recovery_codes_left: z.number(),
  })
  .meta({ id: 'SecondFactors' });
export type FactorState = z.infer<typeof FactorState>;

export const TotpSetUp = z
  .object({
    secret: z.string().describe('Base32 secret for manual entry; shown only once.'),
    otpauth_uri: z.string().describe('The same secret as an otpauth URI, for a QR code.'),
  })
  .meta({ id: 'TotpSetup' });
export type TotpSetUp = z.infer<typeof TotpSetUp>;

export const TotpConfirmation = z.object({ code: Code }).meta({ id: 'TotpConfirmation' });
export const TotpConfirmed = z
  .object({ recovery_codes: FirstRecoveryCodes })
  .meta({ id: 'TotpConfirmed' });
