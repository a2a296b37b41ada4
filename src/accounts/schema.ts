import { z } from 'zod';
import { CurrentPassword, SHOWN_ONCE } from '../caller/schema.ts';
import { publication } from '../platform/http/publication.ts';

/** Request and response schemas. Rules beyond types are checked by the domain code (also 400). */
const CaptchaToken = z
  .string()
  .max(8_192)
  .optional()
  .describe(
    'Valid once. With `altcha`, the Base64 of the JSON `{"challenge", "solution"}`: the whole challenge, and its solution `{"counter", "derivedKey"}`. Otherwise the token of the widget.',
  )
  // A missing token is refused like a wrong one (422), so the parser lets it pass.
  .register(publication, { as: 'required' });
export const Address = z.string().max(254).describe('E-mail address.');
const NewPassword = z.string().describe('12 to 128 characters, hard to guess.');
/** The secret of a link in an e-mail. */
const LinkToken = z
  .string()
  .max(200)
  .meta({ id: 'LinkToken', description: 'The part of the e-mailed link after `#token=`.' });

/** Path parameter: the id of a resource of the account. */
export const IdParams = z.object({
  id: z
    .guid()
    .toLowerCase()
    .describe('Id of the entry, as shown in its list.')
    .meta({ parameter: 'entry_id' }),
});

export const Account = z
  .object({
    id: z.guid(),
    email: z.string().nullable(),
    email_needed: z
      .boolean()
      .describe(
        'The account has no e-mail address: ask the user for one and send it to POST user/email.',
      ),
    pending_email: z
      .string()
      .nullable()
      .describe('The requested new address, until its e-mailed link is used or has expired.'),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    locale: z.string(),
    verified: z.boolean(),
    plan: z.enum(['free', 'pro', 'enterprise']),
    created_at: z.string(),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;

/** Public form that requests an e-mail; 200 only means that the request was accepted. */
export const EmailRequest = z
  .object({ email: Address, captcha_token: CaptchaToken })
  .meta({ id: 'EmailRequest' });
export type EmailRequest = z.infer<typeof EmailRequest>;
export const EmailRequestResponse = z
  .object({ status: z.literal('accepted') })
  .meta({ id: 'EmailRequested' });

export const Registration = z
  .object({
    email: Address,
    password: NewPassword,
    first_name: z.string().optional(),
    last_name: z.string().optional(),
    locale: z
      .string()
      .describe('Two-letter language code, or a tag with a region, such as de or de-CH.'),
    captcha_token: CaptchaToken,
    invitation_token: LinkToken.optional().describe(
      'Of the link of an invitation to this address: confirming the address also joins the organization.',
    ),
  })
  .meta({ id: 'Registration' });
export type Registration = z.infer<typeof Registration>;
export const RegistrationResponse = z
  .object({ status: z.literal('verification_sent') })
  .meta({ id: 'Registered' });

export const Verification = z.object({ token: LinkToken }).meta({ id: 'Verification' });
export const VerificationResponse = z
  .object({ status: z.literal('verified') })
  .meta({ id: 'Verified' });

/** The fields to change; null removes a name. */
export const ProfileEdit = z
  .object({
    first_name: z.string().nullable().optional(),
    last_name: z.string().nullable().optional(),
    locale: z
      .string()
      .optional()
      .describe('Language of every e-mail: a supported two-letter code, or a tag with a region.'),
  })
  .meta({ id: 'ProfileEdit' });
export type ProfileEdit = z.infer<typeof ProfileEdit>;

export const PasswordReset = z
  .object({ token: LinkToken, password: NewPassword })
  .meta({ id: 'PasswordReset' });
export type PasswordReset = z.infer<typeof PasswordReset>;
export const PasswordResetResponse = z
  .object({ status: z.literal('password_set') })
  .meta({ id: 'PasswordResetDone' });

export const PasswordChange = z
  .object({
    current_password: CurrentPassword,
    password: NewPassword,
  })
  .meta({ id: 'PasswordChange' });
export type PasswordChange = z.infer<typeof PasswordChange>;

export const EmailChange = z
  .object({ email: Address, current_password: CurrentPassword })
  .meta({ id: 'EmailChange' });
export type EmailChange = z.infer<typeof EmailChange>;
export const EmailChangeRequested = z
  .object({ status: z.literal('confirmation_sent') })
  .meta({ id: 'EmailChangeRequested' });

export const EmailLink = z.object({ token: LinkToken }).meta({ id: 'EmailLink' });
export const EmailChangeConfirmed = z
  .object({ status: z.literal('confirmed') })
  .meta({ id: 'EmailChangeConfirmed' });
export const EmailChangeUndone = z
  .object({ status: z.literal('undone') })
  .meta({ id: 'EmailChangeUndone' });

export const AccountDeletion = z
  .object({
    confirm: Address.describe(
      'The account’s e-mail address as entered by the user; "delete" if it has none.',
    ),
    current_password: CurrentPassword,
  })
  .meta({ id: 'AccountDeletion' });
export type AccountDeletion = z.infer<typeof AccountDeletion>;

/** Each module adds its part under its own name. */
export const AccountExport = z
  .looseObject({
    exported_at: z.string(),
    most_of_a_list: z.int().describe('Lists are truncated to this many items, newest first.'),
    account: Account,
  })
  .meta({ id: 'AccountExport' });

const RecoveryCodes = z
  .array(z.string())
  .describe('Each replaces a lost second factor in one sign-in.');
export const RecoveryCodesResponse = z
  .object({
    recovery_codes: RecoveryCodes.optional().describe(`${RecoveryCodes.description} ${SHOWN_ONCE}`),
  })
  .meta({ id: 'RecoveryCodes' });

/** Null if the account already had a second factor; its recovery codes stay valid. */
export const FirstRecoveryCodes = RecoveryCodes.nullable().meta({ id: 'FirstRecoveryCodes' });
