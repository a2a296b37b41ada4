import { z } from 'zod';
import { visibleName } from '../../platform/text/visible-name.ts';

const NAME_CHARACTERS = 100;
const MAX_ROLES = 20;
const MAX_TEAMS = 20;
const MAX_CERTIFICATES = 5;
const MAX_CERTIFICATE = 16_384;
const MAX_METADATA = 200_000;
const MAX_SECRET = 1_000;

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(1_000)
  .refine((text) => URL.parse(text)?.username === '' && URL.parse(text)?.password === '', {
    error: 'must not contain a user name or password',
  });

const identifier = z.string().min(1).max(1_000);

/** The provider's OpenID Connect settings; `client_secret` is written only. */
export const OidcSettings = z.object({
  issuer: httpUrl.describe('As in the provider’s discovery document.'),
  client_id: identifier,
});
export type OidcSettings = z.infer<typeof OidcSettings>;

/** The provider's SAML settings. */
export const SamlSettings = z.object({
  entity_id: identifier.describe('Of the identity provider.'),
  sign_in_url: httpUrl.describe('Where AuthnRequests are sent, by redirect.'),
  certificates: z
    .array(z.string().min(1).max(MAX_CERTIFICATE))
    .min(1)
    .max(MAX_CERTIFICATES)
    .describe('PEM; a response may be signed with any of them.'),
});
export type SamlSettings = z.infer<typeof SamlSettings>;

/** The part of a connection that is stored as JSON. */
export const ConnectionConfiguration = z.discriminatedUnion('protocol', [
  z.object({ protocol: z.literal('oidc'), ...OidcSettings.shape }),
  z.object({
    protocol: z.literal('saml'),
    ...SamlSettings.shape,
    response_signed: z.boolean(),
  }),
]);
export type ConnectionConfiguration = z.infer<typeof ConnectionConfiguration>;

const attributeName = z.string().min(1).max(255);

/** Names of the claims or SAML attributes to read; null for the usual ones. */
export const ConnectionAttributes = z.object({
  email: attributeName.nullable(),
  first_name: attributeName.nullable(),
  last_name: attributeName.nullable(),
});
export type ConnectionAttributes = z.infer<typeof ConnectionAttributes>;
