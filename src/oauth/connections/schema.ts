import { z } from 'zod';
import { McpCapability } from '../../authz/schema.ts';
import { Reference, References } from '../../platform/http/reference.ts';
import { OrganizationId, ToolListing } from '../../caller/schema.ts';
import { restrictionFields } from '../../caller/restrictions/schema.ts';
import { ItemId } from '../../policies/policy.ts';

/** The agent assigned for primary tasks (K2); one that the caller may not know of is not named. */
export const DefaultAgent = z
  .union([Reference, z.object({ available: z.literal(false).nullable() })])
  .nullable()
  .describe('`available` is null while permissions cannot be decided.')
  .meta({ id: 'DefaultAgent' });
export type DefaultAgent = z.infer<typeof DefaultAgent>;

export const ConnectionRecord = z
  .object({
    id: z.guid(),
    kind: z
      .enum(['delegated', 'machine'])
      .describe(
        '`delegated` acts for the person who authorized it, `machine` for its organization.',
      ),
    client: Reference,
    account: z.object({ id: z.guid(), email: z.string().nullable() }).nullable(),
    organization: Reference.extend({ name: z.string().nullable() })
      .nullable()
      .describe('The organization that it works in; without a name for a former member.'),
    follows_memberships: z
      .boolean()
      .describe(
        'In an organization: active in all teams of its person or, for a machine, of the organization.',
      ),
    teams: References.describe('The teams that it is bound to, of those that the caller may know.'),
    scopes: z.array(z.string()).describe('What it may do at most, with the `mcp_*` names.'),
    mcp_capabilities: z.array(McpCapability),
    default_agent: DefaultAgent,
    tool_listing: ToolListing,
    ...restrictionFields,
    created_at: z.string(),
    last_used_at: z.string().nullable(),
  })
  .meta({ id: 'Connection' });
export type ConnectionRecord = z.infer<typeof ConnectionRecord>;

export const ConnectionEdit = z
  .object({
    default_agent_id: ItemId.nullable().describe('Null for none.'),
    tool_listing: ToolListing,
    ...restrictionFields,
  })
  .partial()
  .meta({ id: 'ConnectionEdit' });
export type ConnectionEdit = z.infer<typeof ConnectionEdit>;

const id = z.guid().toLowerCase().describe('Id of the OAuth connection.');
export const ConnectionParams = z.object({ connection_id: id });
export const OrganizationConnectionParams = z.object({
  organization_id: OrganizationId,
  connection_id: id,
});
export type ConnectionParams = z.infer<typeof ConnectionParams>;
export type OrganizationConnectionParams = z.infer<typeof OrganizationConnectionParams>;
