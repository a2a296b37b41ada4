import { z } from 'zod';
import { capabilities } from '../authz/permissions.ts';
import { TimestampText } from '../platform/timestamp.ts';
import { visibleName } from '../platform/text/visible-name.ts';
import {
  AgentPolicy,
  PromptPolicy,
  ResourcePolicy,
  ToolPolicy,
} from '../policies/item-policies.ts';
import { ItemId } from '../policies/policy.ts';

/** In NFC, trimmed, 1 to 100 characters, none of them invisible (K1). */
export const KeyName = visibleName(100);

// One for the personal context and 50 for organizations. People can be members of more, but each
// organization costs a check, and a Write to OpenFGA of its own, before a change of the key is done.
const MAX_GRANTS = 51;
const MAX_PERMISSIONS = 108;
// Each adds a check to every MCP request made with the key.
const MAX_TEAMS = 50;
const MAX_PERMISSION_CHARACTERS = 64;

/**
 * Checks the length before the entries, so that a large body cannot produce one error per entry.
 */
const bounded = <Entry extends z.ZodType>(entry: Entry, max: number) =>
  z.array(z.unknown()).max(max).pipe(z.array(entry));

/** Context of a grant: the person's own account, or an organization. */
const GrantScope = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('personal'),
    org_id: z.undefined({ error: 'must be omitted for type `personal`' }).optional(),
  }),
  z.object({ type: z.literal('org'), org_id: ItemId }),
]);

/** Permission names are only strings here; unknown ones are rejected later (422). */
export const Grant = z.object({
  scope: GrantScope,
  permissions: bounded(z.string().max(MAX_PERMISSION_CHARACTERS), MAX_PERMISSIONS).default([]),
});
export type Grant = z.infer<typeof Grant>;

const Capabilities = bounded(z.enum(capabilities), capabilities.length).refine(
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
  grants: bounded(Grant, MAX_GRANTS),
  mcp_capabilities: Capabilities,
  ...policies,
  default_agent_id: ItemId.nullable(),
  team_ids: bounded(ItemId, MAX_TEAMS)
    .nullable()
    .describe(
      'In an organization: the teams that the key is bound to; null means all teams of its owner. For a key of the organization, null requires the permission to manage every team.',
    ),
  expires_at: TimestampText.nullable(),
};

export const KeyDraft = z.object({
  ...fields,
  grants: fields.grants.default([]),
  org_scope: ItemId.nullable().default(null),
  tool_policy: ToolPolicy.default({ mode: 'all' }),
  resource_policy: ResourcePolicy.default({ mode: 'all' }),
  prompt_policy: PromptPolicy.default({ mode: 'all' }),
  agent_policy: AgentPolicy.default({ mode: 'all' }),
  default_agent_id: fields.default_agent_id.default(null),
  team_ids: fields.team_ids.default(null),
  expires_at: fields.expires_at.default(null),
});
export type KeyDraft = z.infer<typeof KeyDraft>;

/** Only the sent fields are changed; `org_scope` can only be set at creation. */
export const KeyEdit = z.object(fields).partial();
export type KeyEdit = z.infer<typeof KeyEdit>;

const timestamp = z.iso.datetime();

const record = {
  id: z.guid(),
  name: z.string(),
  secret_prefix: z.string(),
  grants: z.array(Grant),
  mcp_capabilities: z.array(z.enum(capabilities)),
  /** An unavailable agent is shown without its identity (K3); null: unknown during an outage. */
  default_agent: z
    .union([
      z.object({ id: z.guid(), name: z.string() }),
      z.object({ available: z.literal(false).nullable() }),
    ])
    .nullable(),
  /** An expired key is rejected like a revoked one but can be extended. */
  status: z.enum(['active', 'expired']),
  expires_at: timestamp.nullable(),
  last_used_at: timestamp.nullable(),
  created_at: timestamp,
};

/** A team of a key; without policies if the owner lost access to it (K1). */
const KeyTeam = z.object({
  id: z.guid(),
  name: z.string(),
  available: z.boolean(),
  ...Policies.partial().shape,
});
export type KeyTeam = z.infer<typeof KeyTeam>;

const PersonalKeyRecord = z.object({ ...record, org_scope: z.null(), ...policies });

/** A key that runs in an organization, where the policies of its teams apply (K1). */
const ScopedKeyRecord = z.object({
  ...record,
  org_scope: z.guid(),
  /** Whether the key is active in all teams of its owner, including later ones. */
  follows_memberships: z.boolean(),
  teams: z.array(KeyTeam),
});

/** A person's key, as the routes that list, get and update it return it, without its secret. */
export const OwnKeyRecord = z.union([PersonalKeyRecord, ScopedKeyRecord]);

/** A key that belongs to an organization. */
export const OrganizationKeyRecord = z.object({
  ...record,
  organization_id: z.guid(),
  /** Whether the key is active in all teams of the organization, including later ones. */
  follows_teams: z.boolean(),
  teams: z.array(KeyTeam),
  /** Null once the account is deleted. */
  created_by: z.object({ account_id: z.guid(), email: z.string().nullable() }).nullable(),
});

export type KeyRecord = z.infer<typeof OwnKeyRecord> | z.infer<typeof OrganizationKeyRecord>;

const secret = { secret: z.string() };

/** The only responses that contain the secret. */
export const CreatedOwnKey = z.union([
  PersonalKeyRecord.extend(secret),
  ScopedKeyRecord.extend(secret),
]);
export const CreatedOrganizationKey = OrganizationKeyRecord.extend(secret);
export type CreatedKey = KeyRecord & { secret: string };

export const KeyParams = z.object({ id: ItemId });

export const OrganizationKeyParams = z.object({ organization_id: ItemId, key_id: ItemId });

export { ExplainQuery, Explanation, Preview } from '../visibility/schema.ts';
export type { ExplanationStep } from '../visibility/schema.ts';
