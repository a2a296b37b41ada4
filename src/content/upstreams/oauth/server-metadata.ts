import { z } from 'zod';

/** A text that PostgreSQL and JSON parsers accept. */
const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value));
const Url = text(2_048);
const Words = z.array(text(200)).max(200);

/** The metadata of an authorization server (RFC 8414, OpenID Connect Discovery) that we use. */
export const ServerMetadata = z.object({
  issuer: Url,
  authorization_endpoint: Url,
  token_endpoint: Url,
  registration_endpoint: Url.optional(),
  revocation_endpoint: Url.optional(),
  scopes_supported: Words.optional().catch(undefined),
  token_endpoint_auth_methods_supported: Words.optional(),
  code_challenge_methods_supported: Words.optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
  id_token_signing_alg_values_supported: Words.optional().catch(undefined),
});
export type ServerMetadata = z.infer<typeof ServerMetadata>;

/** The metadata of a protected resource (RFC 9728) that we use. */
export const ResourceMetadata = z.object({
  resource: Url,
  authorization_servers: z.array(Url).min(1).max(20),
  scopes_supported: Words.optional().catch(undefined),
});
export type ResourceMetadata = z.infer<typeof ResourceMetadata>;
