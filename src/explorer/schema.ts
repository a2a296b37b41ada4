import { z } from 'zod';
import { McpCapability } from '../authz/schema.ts';
import { OrganizationParams } from '../organizations/organizations.ts';
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
    id: z.guid().describe('Of a member, the id of the account.'),
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

export const HolderPage = pageOf(Holder).extend(basis).meta({ id: 'PermissionHolderPage' });
export const ItemUserPage = pageOf(ItemUser).extend(basis).meta({ id: 'ItemUserPage' });

/** The names of families in paths. */
export const familyOf = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  agents: 'agent',
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
  item_id: z.guid().toLowerCase().describe('Id of the item; of a built-in one, its id in the catalog.'),
});
