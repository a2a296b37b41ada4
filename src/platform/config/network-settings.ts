import { z } from 'zod';
import { areNameServers, isNetwork, isOrigin, list } from './setting-shapes.ts';

/** Settings of who may call the gateway, and of what it may call. */
export const networkSettings = {
  MCP_ORIGINS: z
    .string()
    .transform((text) => list(text))
    .refine((origins) => origins.every((origin) => origin === '*' || isOrigin(origin)), {
      error: 'must be origins such as https://app.example, or *',
    })
    .optional()
    .describe(
      'Comma-separated origins whose pages may call /mcp, or *. Default: any; on loopback: loopback origins.',
    ),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) => list(text))
    .refine((networks) => networks.every(isNetwork), {
      error: 'must be CIDR ranges or IP addresses',
    })
    .describe('Comma-separated CIDR ranges of proxies whose X-Forwarded-For is trusted.'),
  OUTBOUND_ALLOW: z
    .string()
    .default('')
    .transform((text) => list(text))
    .describe('Comma-separated private hosts that outbound requests may reach.'),
  DNS_SERVERS: z
    .string()
    .default('')
    .transform((text) => list(text))
    .refine(areNameServers, { error: 'must be IP addresses, each with an optional port' })
    .describe(
      'Comma-separated name servers for proofs of e-mail domains, address[:port]. Default: the system’s.',
    ),
};
