import { z } from 'zod';

/** A request that one of an account's credentials made over MCP. */
export const ConnectEvent = z.object({
  at: z.string(),
  credential_id: z.string(),
  /** `read` is a resource or a prompt; `refused` has the reason as its name. */
  kind: z.enum(['initialized', 'listed', 'called', 'read', 'refused']),
  /** The name that the client sent, or why it was refused. */
  name: z.string().nullable(),
  /** The status if the credential itself was refused, for example because it was revoked; else null. */
  status: z.int().nullable().default(null),
});
export type ConnectEvent = z.infer<typeof ConnectEvent>;

/** A request without a credential, as clients make that look for a way to sign in. */
export const DiscoveryEvent = z.object({ at: z.string() });
export type DiscoveryEvent = z.infer<typeof DiscoveryEvent>;
