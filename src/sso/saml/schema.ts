import { z } from 'zod';
import { ConnectionId } from '../../caller/schema.ts';

/** Limits of what describes an identity provider, in its metadata or in fields. */
export const PROVIDER_LIMITS = {
  /** Characters of an XML document. */
  metadata: 200_000,
  /** Characters; the limit of SAML. */
  entity_id: 1_024,
  /** Characters of a certificate as it was sent. */
  certificate: 16_384,
  /** More than a provider has while it replaces one. */
  certificates: 5,
  /** Characters. */
  url: 1_000,
} as const;

/** A response of 128 kB in base64, percent-encoded, and the other fields. */
export const MAX_FORM_BYTES = 400_000;

export const SamlParams = z.object({ connection_id: ConnectionId });

/** Both may be missing: a person with an incomplete response is shown a page, not JSON. */
export const PostedResponse = z
  .object({
    SAMLResponse: z.string().optional().describe('The response: XML in base64.'),
    RelayState: z.string().optional().describe('As in our request.'),
  })
  .meta({ id: 'PostedSamlResponse' });
export type PostedResponse = z.infer<typeof PostedResponse>;

/** A browser navigation: an invalid handle is dropped, not answered with JSON. */
export const Finish = z.object({
  handle: z
    .string()
    .max(100)
    .optional()
    .catch(undefined)
    .describe('Handle of the received response, from the redirect.'),
});
