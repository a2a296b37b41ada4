import { wholeList } from '../../platform/http/pages.ts';
import { z } from 'zod';
import { SHOWN_ONCE } from '../../caller/schema.ts';
import { FirstRecoveryCodes } from '../schema.ts';
import { toNfc } from '../../platform/text/nfc.ts';

const encoded = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');
const CredentialId = encoded(1_400);
const ClientData = encoded(8_192);

/** Result of `navigator.credentials.create`, as serialized by `toJSON`. */
export const Attestation = z
  .object({
    id: CredentialId,
    rawId: CredentialId,
    type: z.literal('public-key'),
    response: z.object({
      clientDataJSON: ClientData,
      attestationObject: encoded(16_384),
      transports: z.array(z.string().max(32)).max(8).optional(),
    }),
  })
  .meta({ id: 'Attestation' });
export type Attestation = z.infer<typeof Attestation>;

/** Result of `navigator.credentials.get`, as serialized by `toJSON`. */
export const Assertion = z
  .object({
    id: CredentialId,
    rawId: CredentialId,
    type: z.literal('public-key'),
    response: z.object({
      clientDataJSON: ClientData,
      authenticatorData: encoded(8_192),
      signature: encoded(4_096),
      userHandle: encoded(128).nullish(),
    }),
  })
  .meta({ id: 'Assertion' });
export type Assertion = z.infer<typeof Assertion>;

const Name = z
  .string()
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
  .overwrite(toNfc)
  .trim()
  .min(1)
  .max(64)
  .meta({ id: 'PasskeyName', description: 'Display name, such as “Phone”.' });

export const Passkey = z
  .object({
    id: z.guid(),
    name: z.string(),
    created_at: z.string(),
    last_used_at: z.string().nullable(),
  })
  .meta({ id: 'Passkey' });
export type Passkey = z.infer<typeof Passkey>;
export const PasskeyList = wholeList(Passkey).meta({ id: 'PasskeyList' });
export const PasskeyName = z.object({ name: Name }).meta({ id: 'PasskeyEdit' });

export const NewPasskey = z
  .object({ name: Name, response: Attestation })
  .meta({ id: 'NewPasskey' });
export type NewPasskey = z.infer<typeof NewPasskey>;
export const NewPasskeyResponse = z
  .object({
    passkey: Passkey,
    recovery_codes: FirstRecoveryCodes.optional().describe(SHOWN_ONCE),
  })
  .meta({ id: 'AddedPasskey' });

/** Input of the browser's `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. */
const BrowserOptions = z.record(z.string(), z.unknown());
export const OptionsResponse = z.object({ options: BrowserOptions }).meta({ id: 'PasskeyOptions' });

export const PasskeySignInOptions = z
  .object({
    token: z.string().describe('Send it back with the response; valid once, for five minutes.'),
    options: BrowserOptions,
  })
  .meta({ id: 'PasskeySignInOptions' });
export const PasskeySignIn = z
  .object({ token: z.string().max(200), response: Assertion })
  .meta({ id: 'PasskeySignIn' });
export type PasskeySignIn = z.infer<typeof PasskeySignIn>;
