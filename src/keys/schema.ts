import { CredentialListQuery } from '../platform/http/list-query.ts';
import { z } from 'zod';
import { McpCapability } from '../authz/schema.ts';
import { ItemCounts } from '../policies/item-counts.ts';
import { Reference } from '../platform/http/reference.ts';
import { OrganizationId, SHOWN_ONCE, ToolListing } from '../caller/schema.ts';
import { restrictionFields } from '../caller/restrictions/schema.ts';
import { capabilities, PERMISSION_COUNT } from '../authz/permissions.ts';
import { boundedList } from '../platform/json/bounded-list.ts';
import { TimestampText } from '../platform/timestamp.ts';
import { visibleName } from '../platform/text/visible-name.ts';
import {
  AgentPolicy,
  PromptPolicy,
  ResourcePolicy,
  ToolPolicy,
} from '../policies/item-policies.ts';
import { ItemId } from '../policies/policy.ts';
import { AccessWarning, Preview, ToolWarning, VisibleItems } from '../visibility/schema.ts';

/** In NFC, trimmed, 1 to 100 characters, none of them invisible (K1). */
export const KeyName = visibleName(100);

// One for the personal context and 50 for organizations. People can be members of more, but each
// organization costs a check, and a Write to OpenFGA of its own, before a change of the key is done.
const MAX_GRANTS = 51;
// Each adds a check to every MCP request made with the key.
const MAX_TEAMS = 50;
const MAX_PERMISSION_CHARACTERS = 64;

/** Context of a grant: the person's own account, or an organization. */
const GrantScope = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('personal'),
    org_id: z.undefined({ error: 'must be omitted for type `personal`' }).optional(),
  }),
  z.object({ type: z.literal('org'), org_id: ItemId }),
]);

/** Permission names are only strings here; unknown ones are rejected later (422). */
export const Grant = z
  .object({
    scope: GrantScope,
    permissions: boundedList(z.string().max(MAX_PERMISSION_CHARACTERS), PERMISSION_COUNT)
      .default([])
      .describe(
        'Operations name the permission that they require, such as `can_view_organization_prompts`. Those that only sessions and access tokens can use have no effect; a preview names them in `warnings`.',
      ),
  })
  .meta({ id: 'Grant' });
export type Grant = z.infer<typeof Grant>;

const Capabilities = boundedList(McpCapability, capabilities.length).refine(
  (list) => new Set(list).size === list.length,
  { message: 'must not contain duplicates' },
);

const policies = {
  tool_policy: ToolPolicy,
  resource_policy: ResourcePolicy,
  prompt_policy: PromptPolicy,
  agent_policy: AgentPolicy,
};

/** The four policies as stored; a policy that is not sent defaults to `all`. */
export const Policies = z.object(policies);
export type Policies = z.infer<typeof Policies>;

const fields = {
  name: KeyName,
  grants: boundedList(Grant, MAX_GRANTS).describe(
    'For REST, and for the tools that write. Reading over MCP requires only `mcp_capabilities`.',
  ),
  mcp_capabilities: Capabilities,
  ...policies,
  default_agent_id: ItemId.nullable(),
  tool_listing: ToolListing,
  team_ids: boundedList(ItemId, MAX_TEAMS).nullable().meta({
    id: 'KeyTeamIds',
    description:
      'In an organization: the teams where the key is active; `[]` is none. Null, the default, is every team of its owner, later ones too. For the organization’s own keys, it requires the permission to manage every team.',
  }),
  expires_at: TimestampText.nullable(),
  ...restrictionFields,
};

export const KeyDraft = z
  .object({
    ...fields,
    grants: fields.grants.default([]),
    org_scope: ItemId.nullable()
      .default(null)
      .describe(
        'The organization that the key runs in: its usage counts there, and the policies of its teams replace those of the key.',
      ),
    tool_policy: ToolPolicy.default({ mode: 'all' }),
    resource_policy: ResourcePolicy.default({ mode: 'all' }),
    prompt_policy: PromptPolicy.default({ mode: 'all' }),
    agent_policy: AgentPolicy.default({ mode: 'all' }),
    default_agent_id: fields.default_agent_id.default(null),
    tool_listing: fields.tool_listing.default('all'),
    team_ids: fields.team_ids.default(null),
    expires_at: fields.expires_at.default(null),
    allowed_addresses: fields.allowed_addresses.default(null),
    hours: fields.hours.default(null),
  })
  .meta({ id: 'KeyDraft' });
export type KeyDraft = z.infer<typeof KeyDraft>;

/** Only the sent fields are changed; `org_scope` can only be set at creation. */
export const KeyEdit = z.object(fields).partial().meta({ id: 'KeyEdit' });
export type KeyEdit = z.infer<typeof KeyEdit>;

const timestamp = z.iso.datetime();

const record = {
  id: z.guid(),
  name: z.string(),
  secret_prefix: z.string(),
  grants: z.array(Grant),
  mcp_capabilities: z.array(McpCapability),
  /** An unavailable agent is shown without its identity (K3); null: unknown during an outage. */
  default_agent: z
    .union([Reference, z.object({ available: z.literal(false).nullable() })])
    .nullable(),
  tool_listing: ToolListing,
  /** An expired key is rejected like a revoked one but can be extended. */
  status: z.enum(['active', 'expired']),
  expires_at: timestamp.nullable(),
  ...restrictionFields,
  last_used_at: timestamp.nullable(),
  created_at: timestamp,
};

/** A team of a key; without name and policies if the owner lost access to it (K1). */
const KeyTeam = z
  .object({
    id: z.guid(),
    name: z.string().nullable().describe('Null if the team is not available.'),
    available: z.boolean(),
    ...Policies.partial().shape,
  })
  .meta({ id: 'KeyTeam' });
export type KeyTeam = z.infer<typeof KeyTeam>;

const PersonalKeyRecord = z
  .object({ ...record, org_scope: z.null(), ...policies })
  .meta({ id: 'PersonalKey' });

/** A key that runs in an organization, where the policies of its teams apply (K1). */
const ScopedKeyRecord = z
  .object({
    ...record,
    org_scope: z.guid(),
    /** Whether the key is active in all teams of its owner, including later ones. */
    follows_memberships: z.boolean(),
    teams: z.array(KeyTeam),
  })
  .meta({ id: 'ScopedKey' });

/** A person's key, as the routes that list, get and update it return it, without its secret. */
export const OwnKeyRecord = z.union([PersonalKeyRecord, ScopedKeyRecord]).meta({ id: 'Key' });

/** A key that belongs to an organization. */
export const OrganizationKeyRecord = z
  .object({
    ...record,
    organization_id: z.guid(),
    /** Whether the key is active in all teams of the organization, including later ones. */
    follows_teams: z.boolean(),
    teams: z.array(KeyTeam),
    /** Null once the account is deleted. */
    created_by: z.object({ account_id: z.guid(), email: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'OrganizationKey' });

export type KeyRecord = z.infer<typeof OwnKeyRecord> | z.infer<typeof OrganizationKeyRecord>;

const secret = { secret: z.string().optional().describe(SHOWN_ONCE) };

/** The only responses that contain the secret. */
export const CreatedOwnKey = z
  .union([PersonalKeyRecord.extend(secret), ScopedKeyRecord.extend(secret)])
  .meta({ id: 'CreatedKey' });
export const CreatedOrganizationKey = OrganizationKeyRecord.extend(secret).meta({
  id: 'CreatedOrganizationKey',
});
export type CreatedKey = KeyRecord & { secret: string };

export const KeyParams = z.object({ key_id: ItemId.describe('Id of the API key.') });

export const OrganizationKeyParams = z.object({
  organization_id: OrganizationId,
  key_id: ItemId.describe('Id of the organization’s API key.').meta({
    parameter: 'organization_key_id',
  }),
});

/** The query of an organization's list of keys. */
export const OrganizationKeyListQuery = CredentialListQuery.extend({
  team_id: ItemId.optional().describe(
    'Only keys that are bound to this team; not those that follow teams.',
  ),
});

/** Something in a draft that is accepted, but has no effect. */
const NoEffectWarning = z
  .object({
    code: z.literal('permission_without_effect'),
    message: z.string(),
    detail: z.object({ pointer: z.string(), permission: z.string() }),
  })
  .meta({ id: 'KeyWarning' });

/** A grant whose write permissions work only over REST. */
const RestOnlyWarning = z
  .object({
    code: z.literal('write_without_tools'),
    message: z.string(),
    detail: z.object({ pointer: z.string() }),
  })
  .meta({ id: 'RestOnlyWarning' });
export type KeyWarning = z.infer<typeof NoEffectWarning> | z.infer<typeof RestOnlyWarning>;

export const KeyPreview = Preview.extend({
  warnings: z
    .array(
      z.discriminatedUnion('code', [NoEffectWarning, RestOnlyWarning, ToolWarning, AccessWarning]),
    )
    .meta({
      id: 'KeyPreviewWarnings',
      description:
        '`permission_without_effect`: no key can use the permission. `write_without_tools`: this key can use it only over REST. `not_portable`: some model APIs refuse the tool, and then the whole request.',
    }),
}).meta({ id: 'KeyPreview' });
export type KeyPreview = z.infer<typeof KeyPreview>;

/** Preview of an edited key, with what it would gain and lose. */
export const KeyEditPreview = KeyPreview.extend({
  gained: VisibleItems.describe('What the edited key would see in addition to now.'),
  lost: VisibleItems.describe('What the key sees now and would see no longer.'),
  counts: Preview.shape.counts.extend({ gained: ItemCounts, lost: ItemCounts }),
}).meta({ id: 'KeyEditPreview' });
export type KeyEditPreview = z.infer<typeof KeyEditPreview>;

export {
  ExplainQuery,
  Explanation,
  Preview,
  PreviewQuery,
  previewPageOf,
} from '../visibility/schema.ts';
export type { ExplanationStep, PreviewPage } from '../visibility/schema.ts';
