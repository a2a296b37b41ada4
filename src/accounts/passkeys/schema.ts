import { z } from 'zod';
import { FirstRecoveryCodes } from '../schema.ts';

const encoded = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');
const CredentialId = encoded(1_400);
const ClientData = encoded(8_192);

/** Result of `navigator.credentials.create`, as serialized by `toJSON`. */
export const Attestation = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: ClientData,
    attestationObject: encoded(16_384),
    transports: z.array(z.string().max(32)).max(8).optional(),
  }),
});
export type Attestation = z.infer<typeof Attestation>;

/** Result of `navigator.credentials.get`, as serialized by `toJSON`. */
export const Assertion = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: ClientData,
    authenticatorData: encoded(8_192),
    signature: encoded(4_096),
    userHandle: encoded(128).nullish(),
  }),
});
export type Assertion = z.infer<typeof Assertion>;

const Name = z
  .string()
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
  .normalize('NFC')
  .trim()
  .min(1)
  .max(64)
  .describe('Display name, such as “Phone”.');

export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
export type Passkey = z.infer<typeof Passkey>;
export const PasskeyList = z.object({ data: z.array(Passkey), next_cursor: z.null() });
export const PasskeyName = z.object({ name: Name });

export const NewPasskey = z.object({ name: Name, response: Attestation });
export type NewPasskey = z.infer<typeof NewPasskey>;
export const NewPasskeyResponse = z.object({
  passkey: Passkey,
  recovery_codes: FirstRecoveryCodes,
});

/** Input of the browser's `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. */
const BrowserOptions = z.record(z.string(), z.unknown());
export const OptionsResponse = z.object({ options: BrowserOptions });

export const PasskeySignInOptions = z.object({
  token: z.string().describe('Send it back with the response; valid once, for five minutes.'),
  options: BrowserOptions,
});
export const PasskeySignIn = z.object({ token: z.string().max(200), response: Assertion });
export type PasskeySignIn = z.infer<typeof PasskeySignIn>;
