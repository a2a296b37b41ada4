import { ClientAddressText } from '../caller/restrictions/schema.ts';
import { z } from 'zod';
import { McpCapability } from '../authz/schema.ts';
import { OrganizationParams } from '../organizations/schema.ts';
import { Reference } from '../platform/http/reference.ts';
import { pageOf } from '../platform/http/pages.ts';
import { Preview } from '../visibility/schema.ts';

export const subjectKinds = [
  'member',
  'key',
  'organization_key',
  'connection',
  'client',
  'role',
  'team',
] as const;
export type SubjectKind = (typeof subjectKinds)[number];

/** Someone or something that may have access: a person, a credential, a role, a team. */
export const Subject = z
  .object({
    kind: z
      .enum(subjectKinds)
      .describe(
        '`key` is a key of a member, `organization_key` one of the organization; `connection` an OAuth client that a member authorized, `client` the connection of one that acts by itself.',
      ),
    id: z.guid().describe('Of a member, the id of the account; of a client, of its connection.'),
    name: z.string().nullable(),
    owner: z
      .object({ account_id: z.guid(), email: z.string().nullable() })
      .nullable()
      .describe('The person; null if it acts for none.'),
    teams: z.array(Reference).describe('The teams that it is bound to, or follows.'),
    follows: z.boolean().describe('Whether it follows all teams, later ones too.'),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Subject' });
export type Subject = z.infer<typeof Subject>;

/** What an answer was computed at. */
const basis = {
  as_of: z.iso.datetime().describe('The answer is not older than this.'),
  model_id: z.string().describe('Id of the authorization model in OpenFGA.'),
};

export const SubjectAccess = z
  .object({
    subject: Subject,
    permissions: z.array(z.string()).describe('In the organization, named as in grants.'),
    team_permissions: z.array(z.object({ team: Reference, permissions: z.array(z.string()) })),
    capabilities: z.array(McpCapability),
    visible: Preview.shape.visible,
    hidden: Preview.shape.hidden,
    counts: Preview.shape.counts,
    ...basis,
  })
  .meta({ id: 'SubjectAccess' });
export type SubjectAccess = z.infer<typeof SubjectAccess>;

const Actor = z
  .object({ kind: z.string(), id: z.guid().nullable(), email: z.string().nullable() })
  .meta({ id: 'GrantedBy' });

/** A tuple that a decision rests on, and the change that wrote it. */
export const Evidence = z
  .object({
    subject: z.string().describe('The user of the tuple, as OpenFGA names it.'),
    relation: z.string(),
    object: z.string(),
    granted_by: Actor.nullable().describe('Null for what the product itself defines.'),
    granted_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'AccessEvidence' });
export type Evidence = z.infer<typeof Evidence>;

const Holder = z
  .object({
    subject: Subject,
    because: z.array(Evidence).describe('From the holder to what decides.'),
    teams: z
      .array(Reference)
      .nullable()
      .describe('For a permission in teams, those in which it is held; else null.'),
  })
  .meta({ id: 'PermissionHolder' });
export type Holder = z.infer<typeof Holder>;

const ItemUser = z
  .object({ subject: Subject, because: z.array(Evidence) })
  .meta({ id: 'ItemUser' });
export type ItemUser = z.infer<typeof ItemUser>;

/** Also names the clients that could have it without a change of a role or a policy. */
const whoCan = {
  ...basis,
  authorizable_clients: z
    .array(Reference)
    .describe(
      'The organization’s OAuth clients that could have it once a member who has it authorizes them: their scopes allow it. At most 100.',
    ),
};
export const HolderPage = pageOf(Holder).extend(whoCan).meta({ id: 'PermissionHolderPage' });
export type HolderPage = z.infer<typeof HolderPage>;
export const ItemUserPage = pageOf(ItemUser).extend(whoCan).meta({ id: 'ItemUserPage' });

/** Families by their names, in paths and elsewhere. */
export const familyOf = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  agents: 'agent',
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  agent: 'agent',
} as const;

const MAX_PERMISSION = 100;

export const PermissionParams = OrganizationParams.extend({
  permission: z
    .string()
    .max(MAX_PERMISSION)
    .describe('Name of a permission, as in grants.')
    .meta({ parameter: 'permission_name' }),
});
export const ItemUserParams = OrganizationParams.extend({
  family: z.enum(['tools', 'prompts', 'resources', 'agents']).meta({ parameter: 'item_families' }),
  item_id: z
    .guid()
    .toLowerCase()
    .describe('Id of the item; of a built-in one, its id in the catalog.'),
});

const SubjectRef = z
  .object({ kind: z.enum(subjectKinds), id: z.guid().toLowerCase() })
  .meta({ id: 'SubjectRef', description: 'A member by the id of the account.' });
export type SubjectRef = z.infer<typeof SubjectRef>;

const families = ['tools', 'prompts', 'resources', 'agents'] as const;
const ItemRef = z
  .object({ family: z.enum(families), id: z.guid().toLowerCase() })
  .meta({ id: 'ItemRef' });

/** An item in a question: its family as paths name it, or as lists of items do. */
const AskedItem = ItemRef.extend({
  family: z.enum([...families, 'tool', 'prompt', 'resource', 'agent']),
}).meta({ id: 'AskedItem' });

/** What to explain: a permission, or the use of an item. */
export const AccessQuestion = z
  .object({
    subject: SubjectRef,
    permission: z.string().max(MAX_PERMISSION).optional(),
    team_id: z.guid().toLowerCase().optional().describe('For a permission in a team.'),
    item: AskedItem.optional(),
    address: ClientAddressText.optional().describe(
      'The client’s address, for a credential that works only from some.',
    ),
  })
  .refine(({ permission, item }) => (permission === undefined) !== (item === undefined), {
    message: 'must have exactly one of `permission` and `item`',
  })
  .meta({ id: 'AccessQuestion' });
export type AccessQuestion = z.infer<typeof AccessQuestion>;

const RowEvidence = z
  .object({ row: z.record(z.string(), z.unknown()) })
  .meta({ id: 'RowEvidence' });

const AccessStep = z
  .object({
    rule: z.string().describe('What is checked: a relation, a policy, a state of the credential.'),
    outcome: z.enum(['passed', 'failed', 'not_reached']),
    reason: z.string().nullable().describe('Why it failed, as the log of decisions names it.'),
    code: z
      .string()
      .nullable()
      .describe('If it failed, the error code that the caller meets if it is the first.'),
    evidence: z
      .array(z.union([Evidence, RowEvidence]))
      .describe('The tuples or rows that it rests on; if it failed, those that are missing.'),
    check: z
      .object({ user: z.string(), relation: z.string(), object: z.string() })
      .nullable()
      .describe('The check in OpenFGA; `fga query check <user> <relation> <object>` repeats it.'),
    change_url: z.string().nullable().describe('Page of the dashboard where it can be changed.'),
  })
  .meta({ id: 'AccessStep' });
export type AccessStep = z.infer<typeof AccessStep>;

export const AccessExplanation = z
  .object({
    allowed: z.boolean().describe('True exactly if no step failed.'),
    steps: z.array(AccessStep).describe('In the order in which enforcement asks.'),
    ...basis,
  })
  .meta({ id: 'AccessExplanation' });
export type AccessExplanation = z.infer<typeof AccessExplanation>;

const Side = z
  .object({ subject: SubjectRef.optional(), review_id: z.guid().toLowerCase().optional() })
  .refine(({ subject, review_id }) => (subject === undefined) !== (review_id === undefined), {
    message: 'must have exactly one of `subject` and `review_id`',
  })
  .meta({ id: 'DiffSide' });
export type Side = z.infer<typeof Side>;
export const AccessDiffQuestion = z
  .object({ left: Side, right: Side })
  .refine(({ left, right }) => (left.subject === undefined) === (right.subject === undefined), {
    message: 'must both be subjects, or both be reviews',
  })
  .meta({ id: 'AccessDiffQuestion' });

const Difference = z
  .object({
    permission: z.string().nullable(),
    team: Reference.nullable(),
    capability: z.string().nullable(),
    item: ItemRef.extend({ name: z.string() }).nullable(),
    subject: SubjectRef.extend({ name: z.string().nullable() })
      .nullable()
      .describe('Of two reviews, whose access differs; the name is that of today.'),
  })
  .meta({ id: 'AccessDifference', description: 'A permission, a capability or an item.' });
export type Difference = z.infer<typeof Difference>;

export const AccessDiff = z
  .object({
    only_left: z.array(Difference),
    only_right: z.array(Difference),
    both: z.int().describe('How many both have.'),
    ...basis,
  })
  .meta({ id: 'AccessDiff' });
export type AccessDiff = z.infer<typeof AccessDiff>;
