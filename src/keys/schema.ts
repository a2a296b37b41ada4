import { z } from 'zod';
import { capabilities } from '../authz/permissions.ts';
import { families } from '../content/items/schema.ts';
import { WrittenInstant } from '../platform/instant.ts';
import { INVISIBLE } from '../platform/text/invisible.ts';
import { AgentPolicy } from '../policies/agent-policy.ts';
import { ItemId } from '../policies/policy.ts';
import { PromptPolicy } from '../policies/prompt-policy.ts';
import { ResourcePolicy } from '../policies/resource-policy.ts';
import { ToolPolicy } from '../policies/tool-policy.ts';
import { HiddenReason } from '../visibility/schema.ts';

const NAME_CHARACTERS = 100;

const UNSEEN = new RegExp(`[${INVISIBLE}]`, 'u');
// What draws nothing though it is no format character: fillers, the empty Braille cell.
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** NFC without blanks at its ends, 1–100 characters, none of them invisible (K1). */
export const KeyName = z
  .string()
  .refine((name) => !UNSEEN.test(name), { message: 'No invisible characters.' })
  .normalize('NFC')
  .trim()
  .refine((name) => Array.from(name).length <= NAME_CHARACTERS, {
    message: `At most ${NAME_CHARACTERS} characters.`,
  })
  .refine((name) => !BLANK.test(name), { message: 'A name that can be seen.' });

// The personal context and each organization of the largest plan.
const GRANTS = 51;
const PERMISSIONS = 108;
const PERMISSION_CHARACTERS = 64;

/** The length before the entries, so that no body makes a complaint per entry. */
const bounded = <Entry extends z.ZodType>(entry: Entry, most: number) =>
  z.array(z.unknown()).max(most).pipe(z.array(entry));

const GrantScope = z
  .object({ type: z.enum(['personal', 'org']), org_id: ItemId.optional() })
  .superRefine((scope, context) => {
    if ((scope.type === 'org') === (scope.org_id !== undefined)) return;
    context.addIssue({
      code: 'custom',
      path: ['org_id'],
      message: 'An organization for type `org`, none for `personal`.',
    });
  });

/** Which names there are is a rule of its own (422): here they are texts. */
export const Grant = z.object({
  scope: GrantScope,
  permissions: bounded(z.string().max(PERMISSION_CHARACTERS), PERMISSIONS).default([]),
});
export type Grant = z.infer<typeof Grant>;

const Capabilities = bounded(z.enum(capabilities), capabilities.length).refine(
  (list) => new Set(list).size === list.length,
  { message: 'Each capability once.' },
);

const policies = {
  tool_policy: ToolPolicy,
  resource_policy: ResourcePolicy,
  prompt_policy: PromptPolicy,
  agent_policy: AgentPolicy,
};

/** The four policies as they are saved; one that is not sent is `all`. */
export const Policies = z.object(policies);
export type Policies = z.infer<typeof Policies>;

export const KeyDraft = z.object({
  name: KeyName,
  grants: bounded(Grant, GRANTS).default([]),
  mcp_capabilities: Capabilities,
  org_scope: ItemId.nullable().default(null),
  tool_policy: ToolPolicy.default({ mode: 'all' }),
  resource_policy: ResourcePolicy.default({ mode: 'all' }),
  prompt_policy: PromptPolicy.default({ mode: 'all' }),
  agent_policy: AgentPolicy.default({ mode: 'all' }),
  default_agent_id: ItemId.nullable().default(null),
  expires_at: WrittenInstant.nullable().default(null),
});
export type KeyDraft = z.infer<typeof KeyDraft>;

/** Only the fields that are sent are changed; `org_scope` is for creation alone. */
export const KeyEdit = z.object({
  name: KeyName.optional(),
  grants: bounded(Grant, GRANTS).optional(),
  mcp_capabilities: Capabilities.optional(),
  tool_policy: ToolPolicy.optional(),
  resource_policy: ResourcePolicy.optional(),
  prompt_policy: PromptPolicy.optional(),
  agent_policy: AgentPolicy.optional(),
  default_agent_id: ItemId.nullable().optional(),
  expires_at: WrittenInstant.nullable().optional(),
});
export type KeyEdit = z.infer<typeof KeyEdit>;

const timestamp = z.iso.datetime();

/** A key as list, detail and update answer it; its secret is not part of it. */
export const KeyRecord = z.object({
  id: z.guid(),
  name: z.string(),
  secret_prefix: z.string(),
  grants: z.array(
    z.object({
      scope: z.object({ type: z.enum(['personal', 'org']), org_id: z.guid().optional() }),
      permissions: z.array(z.string()),
    }),
  ),
  mcp_capabilities: z.array(z.enum(capabilities)),
  org_scope: z.guid().nullable(),
  ...policies,
  /** One that cannot be had is shown without what would tell which it was (K3). */
  default_agent: z
    .union([
      z.object({ id: z.guid(), name: z.string() }),
      z.object({ available: z.literal(false) }),
    ])
    .nullable(),
  /** An expired key is refused like a revoked one, but may be given a later end. */
  status: z.enum(['active', 'expired']),
  expires_at: timestamp.nullable(),
  last_used_at: timestamp.nullable(),
  created_at: timestamp,
});
export type KeyRecord = z.infer<typeof KeyRecord>;

/** The one answer that holds the secret. */
export const CreatedKey = KeyRecord.extend({ secret: z.string() });
export type CreatedKey = z.infer<typeof CreatedKey>;

export const KeyParams = z.object({ id: ItemId });

const Named = z.object({ id: z.guid(), name: z.string() });
const byFamily = <Value extends z.ZodType>(value: Value) =>
  z.object({ tools: value, prompts: value, resources: value, agents: value });

/** What a key would see; lists hold the first thousand, `counts` says how many there are. */
export const Preview = z.object({
  /** As the lists of the key; `system` marks the tools every credential has. */
  visible: byFamily(z.array(Named)).extend({
    tools: z.array(Named.extend({ system: z.literal(true).optional() })),
  }),
  hidden: z.array(Named.extend({ family: z.enum(families), because: z.array(HiddenReason) })),
  counts: z.object({ visible: byFamily(z.int()), hidden: z.int() }),
  /** What creation would answer: 409 and 422. */
  errors: z.array(z.object({ code: z.string(), message: z.string(), detail: z.unknown() })),
});
export type Preview = z.infer<typeof Preview>;

// The longest that names an item is the URI of a resource: three characters for a byte of its path.
const ItemName = z.string().min(1).max(4_096).optional();

/** Exactly one item, by its name, path, URI or id. */
export const ExplainQuery = z
  .object({ tool: ItemName, prompt: ItemName, resource: ItemName, agent: ItemName })
  .refine((query) => families.filter((family) => query[family] !== undefined).length === 1, {
    message: 'Name exactly one tool, prompt, resource or agent.',
  });
export type ExplainQuery = z.infer<typeof ExplainQuery>;

const ExplanationStep = z.object({
  layer: z.enum(['credential', 'item', 'relation', 'selection', 'policy', 'limit']),
  rule: z.string(),
  outcome: z.enum(['allow', 'deny']),
  /** Tuples, an entry of a policy, a window: what the answer stands on. */
  evidence: z.record(z.string(), z.unknown()),
});
export type ExplanationStep = z.infer<typeof ExplanationStep>;

/** Every step in the order in which it is asked; an agent is stopped by the first no. */
export const Explanation = z.object({
  outcome: z.enum(['allow', 'deny']),
  steps: z.array(ExplanationStep),
});
export type Explanation = z.infer<typeof Explanation>;
