import { z } from 'zod';
import { Start } from '../../accounts/providers/schema.ts';

export const SsoParams = z.object({ connection_id: z.guid().toLowerCase() });

/** Parameters of a browser navigation: invalid ones are dropped, not answered with JSON. */
export const StartSso = Start.extend({
  test: z
    .string()
    .max(64)
    .optional()
    .catch(undefined)
    .describe('Token of a test of the connection.'),
});
export type StartSso = z.infer<typeof StartSso>;

export const DiscoveryQuery = z.object({ email: z.string().min(1).max(1_000) });
export type DiscoveryQuery = z.infer<typeof DiscoveryQuery>;

export const Discovery = z.object({
  connection_id: z.guid().nullable(),
  url: z.string().nullable().describe('Where to send the browser to sign in.'),
  required: z.boolean().describe('Whether members can sign in only this way.'),
});
export type Discovery = z.infer<typeof Discovery>;
