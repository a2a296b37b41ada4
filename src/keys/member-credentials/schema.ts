import { z } from 'zod';
import { McpCapability } from '../../authz/schema.ts';
import { Reference } from '../../platform/http/reference.ts';
import { MemberParams } from '../../organizations/members/schema.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { ItemId } from '../../policies/policy.ts';

export const MemberCredentialsParams = MemberParams;
export type MemberCredentialsParams = z.infer<typeof MemberCredentialsParams>;

const CredentialKind = z.enum(['api_key', 'connection']);

export const MemberCredentialParams = MemberParams.extend({
  kind: CredentialKind.describe('Kind of the credential, as shown in the list.'),
  id: ItemId.describe('Id of the API key or the OAuth connection.'),
});
export type MemberCredentialParams = z.infer<typeof MemberCredentialParams>;

/** A member's credential as far as it reaches into one organization, without what it has elsewhere. */
export const MemberCredential = z
  .object({
    kind: CredentialKind,
    id: z.guid(),
    name: z.string().describe('Name of the key, or of the client that the member authorized.'),
    secret_prefix: z
      .string()
      .nullable()
      .describe('Start of the key’s secret; null if it has none.'),
    runs_here: z
      .boolean()
      .describe(
        'Whether it works in the organization over MCP. If not, only its permissions reach in, over REST.',
      ),
    follows_memberships: z
      .boolean()
      .describe('Whether it is active in all teams of the member, including later ones.'),
    teams: z
      .array(Reference)
      .describe('The teams of the organization that it is bound to, or follows.'),
    mcp_capabilities: z.array(McpCapability).describe('What it may use over MCP, if it runs here.'),
    permissions: z
      .array(z.string())
      .describe('The grant of a key for the organization, or the scopes of a connection.'),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable().describe('Null unless it runs here.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'MemberCredential' });
export type MemberCredential = z.infer<typeof MemberCredential>;

export const MemberCredentialPage = pageOf(MemberCredential).meta({ id: 'MemberCredentialList' });
