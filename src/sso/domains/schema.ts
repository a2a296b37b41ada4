import { wholeList } from '../../platform/http/pages.ts';
import { z } from 'zod';
import { CurrentPassword } from '../../caller/schema.ts';
import { OrganizationParams } from '../../organizations/schema.ts';

const MAX_DOMAIN = 253;

export const DomainDraft = z
  .object({
    domain: z.string().min(1).max(MAX_DOMAIN),
    current_password: CurrentPassword,
  })
  .meta({ id: 'DomainDraft' });
export type DomainDraft = z.infer<typeof DomainDraft>;

export const DomainParams = OrganizationParams.extend({
  domain: z
    .string()
    .min(1)
    .max(MAX_DOMAIN)
    .toLowerCase()
    .describe('The e-mail domain, such as `example.com`.')
    .meta({ parameter: 'domain_name' }),
});
export type DomainParams = z.infer<typeof DomainParams>;

export const DomainRecord = z
  .object({
    domain: z.string(),
    txt_name: z.string().describe('Name of the TXT record that verifies the domain.'),
    txt_value: z.string().describe('Value of that record.'),
    verified_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Domain' });
export type DomainRecord = z.infer<typeof DomainRecord>;

export const DomainList = wholeList(DomainRecord).meta({ id: 'DomainList' });
