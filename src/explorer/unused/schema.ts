import { z } from 'zod';
import { McpCapability } from '../../authz/schema.ts';
import { OrganizationId } from '../../caller/schema.ts';
import { PageQuery, pageOf } from '../../platform/http/pages.ts';
import { families } from '../../content/items/schema.ts';

export const UnusedParams = z.object({ organization_id: OrganizationId });

const MAX_DAYS = 365;

export const UnusedQuery = PageQuery.extend({
  days: z
    .string()
    .refine((text) => /^(?:0|[1-9][0-9]*)$/.test(text) && Number(text) <= MAX_DAYS, {
      message: `must be a whole number from 0 to ${MAX_DAYS}`,
    })
    .meta({ type: 'integer', minimum: 0, maximum: MAX_DAYS, default: 90 })
    .transform(Number)
    .default(90)
    .describe('Number of days without use. Younger credentials are left out.'),
});
export type UnusedQuery = z.infer<typeof UnusedQuery>;

export const UnusedAuthority = z
  .object({
    subject: z
      .object({
        kind: z.enum(['key', 'organization_key', 'connection', 'client']),
        id: z.guid(),
        name: z.string().describe('Name of the key, or of the OAuth client.'),
        owner: z
          .object({ account_id: z.guid(), email: z.string().nullable() })
          .nullable()
          .describe('The member whose credential it is; null if it belongs to the organization.'),
        last_used_at: z.iso
          .datetime()
          .nullable()
          .describe('Null if it was never used, or does not work in the organization over MCP.'),
      })
      .meta({ id: 'UnusedAuthoritySubject' }),
    permissions: z
      .array(z.string())
      .describe(
        'Permissions in its grant for the organization, or scopes of an OAuth client, that can be removed.',
      ),
    capabilities: z.array(McpCapability).describe('Capabilities that can be removed.'),
    items: z
      .array(z.object({ family: z.enum(families), id: z.guid() }))
      .describe('Items in its own whitelists. Credentials in an organization have none.'),
    unused_since: z.iso
      .datetime()
      .describe('The last use of what is listed or, without any, its creation.'),
  })
  .meta({ id: 'UnusedAuthority' });
export type UnusedAuthority = z.infer<typeof UnusedAuthority>;

export const UnusedPage = pageOf(UnusedAuthority).meta({ id: 'UnusedAuthorityList' });
