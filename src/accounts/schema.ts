import { z } from 'zod';

/** Request and response schemas. Rules beyond types are checked by the domain code (also 400). */
const CaptchaToken = z
  .string()
  .max(8_192)
  .optional()
  .describe('Token of the CAPTCHA widget; valid once.');
export const Address = z.string().max(254).describe('E-mail address.');
export const CurrentPassword = z
  .string()
  .max(1_024)
  .optional()
  .describe(
    'Required if the account has a password; otherwise a sign-in less than ten minutes ago is required.',
  );
const NewPassword = z.string().describe('12 to 128 characters, hard to guess.');
/** The secret of a link in an e-mail. */
const LinkToken = z.string().max(200);

/** Path parameter: the id of a resource of the account. */
export const IdParams = z.object({ id: z.guid().toLowerCase() });

/** Request body that contains only the reauthentication (decisions.md 9). */
export const ReauthenticationProof = z.object({ current_password: CurrentPassword });

export const Account = z.object({
  id: z.string(),
  email: z.string().nullable(),
  email_needed: z
    .boolean()
    .describe(
      'The account has no e-mail address: ask the user for one and send it to POST user/email.',
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
export const EmailRequestResponse = z.object({ status: z.literal('accepted') });

export const Registration = z.object({
  email: Address,
  password: NewPassword,
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  locale: z
    .string()
    .describe('Two-letter language code, or a tag with a region, such as de or de-CH.'),
  captcha_token: CaptchaToken,
  invitation_token: LinkToken.optional().describe(
    'Token of an invitation to this address: confirming the address also joins the organization.',
  ),
});
export type Registration = z.infer<typeof Registration>;
export const RegistrationResponse = z.object({ status: z.literal('verification_sent') });

export const Verification = z.object({ token: LinkToken });
export const VerificationResponse = z.object({ status: z.literal('verified') });

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
export const PasswordResetResponse = z.object({ status: z.literal('password_set') });

export const PasswordChange = z.object({
  current_password: CurrentPassword,
  password: NewPassword,
});
export type PasswordChange = z.infer<typeof PasswordChange>;

export const EmailChange = z.object({ email: Address, current_password: CurrentPassword });
export type EmailChange = z.infer<typeof EmailChange>;
export const EmailChangeRequested = z.object({ status: z.literal('confirmation_sent') });

export const EmailLink = z.object({ token: LinkToken });
export const EmailChangeConfirmed = z.object({ status: z.literal('confirmed') });
export const EmailChangeUndone = z.object({ status: z.literal('undone') });

export const AccountDeletion = z.object({
  confirm: Address.describe(
    'The account’s e-mail address as entered by the user; "delete" if it has none.',
  ),
  current_password: CurrentPassword,
});
export type AccountDeletion = z.infer<typeof AccountDeletion>;

/** Each module adds its part under its own name. */
export const AccountExport = z.looseObject({
  exported_at: z.string(),
  most_of_a_list: z.int().describe('Lists are truncated to this many items, newest first.'),
  account: Account,
});

const RecoveryCodes = z
  .array(z.string())
  .describe('Each replaces a lost second factor in one sign-in; shown only once.');
export const RecoveryCodesResponse = z.object({ recovery_codes: RecoveryCodes });

/** Null if the account already had a second factor; its recovery codes stay valid. */
export const FirstRecoveryCodes = RecoveryCodes.nullable();
