import { z } from 'zod';
import { ConnectionId } from '../../caller/schema.ts';
import { Start } from '../../accounts/providers/schema.ts';

export const SsoParams = z.object({ connection_id: ConnectionId });

/** Parameters of a browser navigation: invalid ones are dropped, not answered with JSON. */
export const StartSso = Start.extend({
  test: z
    .string()
    .max(64)
    .optional()
    .catch(undefined)
    .describe('Token of a test of the connection; omit it for a sign-in.'),
});
export type StartSso = z.infer<typeof StartSso>;

export const DiscoveryQuery = z.object({
  email: z.string().min(1).max(1_000).describe('E-mail address of the person who signs in.'),
});
export type DiscoveryQuery = z.infer<typeof DiscoveryQuery>;

export const Discovery = z
  .object({
    connection_id: z.guid().nullable(),
    url: z.string().nullable().describe('Where to send the browser to sign in.'),
    required: z.boolean().describe('Whether members can sign in only this way.'),
  })
  .meta({ id: 'SsoDiscovery' });
export type Discovery = z.infer<typeof Discovery>;
