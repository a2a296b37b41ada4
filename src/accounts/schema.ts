import { z } from 'zod';

/** Shapes of the wire. What a value must be beyond its type is the domain's (400 there too). */
export const CaptchaToken = z
  .string()
  .max(8_192)
  .optional()
  .describe('Token of the CAPTCHA widget; counts once.');
export const Address = z.string().max(254).describe('E-mail address.');
export const CurrentPassword = z
  .string()
  .max(1_024)
  .optional()
  .describe('Needed where the account has a password; else a sign-in under ten minutes old.');
/** The secret of a link in a letter. */
export const LinkToken = z.string().max(200);

/** A body that proves presence (decisions.md 9) and says nothing else. */
export const PresenceProof = z.object({ current_password: CurrentPassword });

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

/** A public form that asks for a letter: 200 means accepted and nothing more. */
export const LetterRequest = z.object({ email: Address, captcha_token: CaptchaToken });
export type LetterRequest = z.infer<typeof LetterRequest>;
export const LetterAnswer = z.object({ status: z.literal('accepted') });
