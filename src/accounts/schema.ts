import { z } from 'zod';

/** Request and response schemas. Rules beyond types are checked by the domain code (also 400). */
const CaptchaToken = z
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
const NewPassword = z.string().describe('12 to 128 characters, not guessable.');
/** The secret of a link in an e-mail. */
const LinkToken = z.string().max(200);

/** Path parameter: the id of a resource of the account. */
export const IdParams = z.object({ id: z.guid().toLowerCase() });

/** Request body with nothing but the reauthentication (decisions.md 9). */
export const ReauthenticationProof = z.object({ current_password: CurrentPassword });

export const Account = z.object({
  id: z.string(),
  email: z.string().nullable(),
  email_needed: z
    .boolean()
    .describe(
      'The account has no address, so no e-mail can reach it: ask for one (POST user/email).',
    ),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  locale: z.string(),
  verified: z.boolean(),
  plan: z.enum(['free', 'pro', 'enterprise']),
  created_at: z.string(),
});
export type Account = z.infer<typeof Account>;

/** Public form that requests an e-mail; 200 only means that the request was accepted. */
export const EmailRequest = z.object({ email: Address, captcha_token: CaptchaToken });
export type EmailRequest = z.infer<typeof EmailRequest>;
export const EmailRequestAnswer = z.object({ status: z.literal('accepted') });

export const Registration = z.object({
  email: Address,
  password: NewPassword,
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  locale: z.string().describe('Two-letter language code, or a tag with a region: de, de-CH.'),
  captcha_token: CaptchaToken,
});
export type Registration = z.infer<typeof Registration>;
export const RegistrationAnswer = z.object({ status: z.literal('verification_sent') });

export const Verification = z.object({ token: LinkToken });
export const VerificationAnswer = z.object({ status: z.literal('verified') });

/** The fields to change; null removes a name. */
export const ProfileEdit = z.object({
  first_name: z.string().nullable().optional(),
  last_name: z.string().nullable().optional(),
  locale: z
    .string()
    .optional()
    .describe('Language of every e-mail: a supported two-letter code, or a tag with a region.'),
});
export type ProfileEdit = z.infer<typeof ProfileEdit>;

export const PasswordReset = z.object({ token: LinkToken, password: NewPassword });
export type PasswordReset = z.infer<typeof PasswordReset>;
export const PasswordResetAnswer = z.object({ status: z.literal('password_set') });

export const PasswordChange = z.object({
  current_password: CurrentPassword,
  password: NewPassword,
});
export type PasswordChange = z.infer<typeof PasswordChange>;

export const EmailChange = z.object({ email: Address, current_password: CurrentPassword });
export type EmailChange = z.infer<typeof EmailChange>;
export const EmailChangeAnswer = z.object({ status: z.literal('confirmation_sent') });

export const EmailLink = z.object({ token: LinkToken });
export const EmailConfirmed = z.object({ status: z.literal('confirmed') });
export const EmailUndone = z.object({ status: z.literal('undone') });

export const AccountDeletion = z.object({
  confirm: Address.describe(
    'The address of the account as typed by the person; "delete" where it has none.',
  ),
  current_password: CurrentPassword,
});
export type AccountDeletion = z.infer<typeof AccountDeletion>;

/** Each module adds its part under its own name. */
export const AccountExport = z.looseObject({
  exported_at: z.string(),
  most_of_a_list: z.int().describe('No list holds more; of longer ones the newest are here.'),
  account: Account,
});

const RecoveryCodes = z
  .array(z.string())
  .describe('Each lets in once when the second factor is lost; shown this one time.');
export const RecoveryCodesAnswer = z.object({ recovery_codes: RecoveryCodes });

/** Null if the account already had a second factor; its recovery codes stay valid. */
export const FirstRecoveryCodes = RecoveryCodes.nullable();
