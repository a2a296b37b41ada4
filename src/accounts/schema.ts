import { z } from 'zod';

/** Shapes of the wire. What a value must be beyond its type is the domain's (400 there too). */
const Captcha = z
  .string()
  .max(8_192)
  .optional()
  .describe('Token of the CAPTCHA widget; counts once.');
const Address = z.string().max(254).describe('E-mail address.');

export const Registration = z.object({
  email: Address,
  password: z.string().describe('12 to 128 characters, not guessable.'),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  locale: z.string().describe('Two-letter language code, or a tag with a region: de, de-CH.'),
  captcha_token: Captcha,
});
export type Registration = z.infer<typeof Registration>;

export const RegistrationAnswer = z.object({ status: z.literal('verification_sent') });

export const Verification = z.object({ token: z.string().max(200) });
export const VerificationAnswer = z.object({ status: z.literal('verified') });

export const Resend = z.object({ email: Address, captcha_token: Captcha });
export type Resend = z.infer<typeof Resend>;
export const ResendAnswer = z.object({ status: z.literal('accepted') });

export const SignIn = z.object({ email: Address, password: z.string().max(1_024) });
export type SignIn = z.infer<typeof SignIn>;

export const Account = z.object({
  id: z.string(),
  email: z.string().nullable(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  locale: z.string(),
  verified: z.boolean(),
  plan: z.enum(['free', 'pro', 'enterprise']),
  created_at: z.string(),
});
export type Account = z.infer<typeof Account>;

export const SessionAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.literal(900),
  user: Account,
});
export type SessionAnswer = z.infer<typeof SessionAnswer>;

export const Challenge = z.looseObject({
  parameters: z.looseObject({ algorithm: z.string(), nonce: z.string(), salt: z.string() }),
  signature: z.string(),
});
