import { z } from 'zod';
import { CurrentPassword } from '../../caller/schema.ts';
import { ConnectionRecord } from '../connections/schema.ts';
import { DomainRecord } from '../domains/schema.ts';

export const SsoRecord = z
  .object({
    available: z.boolean().describe('Whether the plan includes single sign-on.'),
    enforced: z
      .boolean()
      .describe('Whether members with an address in a verified domain must sign in this way.'),
    connections: z.array(ConnectionRecord),
    domains: z.array(DomainRecord),
  })
  .meta({ id: 'Sso' });
export type SsoRecord = z.infer<typeof SsoRecord>;

export const SsoEdit = z
  .object({
    enforced: z.boolean().optional(),
    current_password: CurrentPassword,
  })
  .meta({ id: 'SsoEdit' });
export type SsoEdit = z.infer<typeof SsoEdit>;
