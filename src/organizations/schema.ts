import { z } from 'zod';
import { McpCapability } from '../authz/schema.ts';
import { Reference, References } from '../platform/http/reference.ts';
import { CurrentPassword, OrganizationId } from '../caller/schema.ts';
import { planNames } from '../platform/config/plans.ts';
import { visibleName } from '../platform/text/visible-name.ts';

const NAME_CHARACTERS = 100;

export const OrganizationParams = z.object({ organization_id: OrganizationId });

export const OrganizationDraft = z
  .object({ name: visibleName(NAME_CHARACTERS) })
  .meta({ id: 'OrganizationDraft' });
export type OrganizationDraft = z.infer<typeof OrganizationDraft>;

export const OrganizationEdit = OrganizationDraft.partial().meta({ id: 'OrganizationEdit' });
export type OrganizationEdit = z.infer<typeof OrganizationEdit>;

export const OrganizationDeletion = z
  .object({
    confirm: z.string().max(400).describe('The name of the organization as entered by the user.'),
    current_password: CurrentPassword,
  })
  .meta({ id: 'OrganizationDeletion' });
export type OrganizationDeletion = z.infer<typeof OrganizationDeletion>;

/** What the caller may do in the organization. */
const OwnMembership = z
  .object({
    roles: References,
    teams: z
      .array(Reference)
      .describe('The teams in which the person has a seat; of a key or token, where it is active.'),
    permissions: z.array(z.string()).describe('Includes implied permissions, named as in grants.'),
    capabilities: z.array(McpCapability),
  })
  .meta({ id: 'OwnMembership' });

export const OrganizationRecord = z
  .object({
    id: z.guid(),
    name: z.string(),
    plan: z.enum(planNames),
    status: z.enum(['active', 'suspended']),
    created_at: z.iso.datetime(),
    membership: OwnMembership,
  })
  .meta({ id: 'Organization' });
export type OrganizationRecord = z.infer<typeof OrganizationRecord>;

const withPermission = 'Only with the permission `can_view_organization`.';

/** An organization in the list of those in which a caller may act, with or without permissions. */
export const OrganizationListing = OrganizationRecord.extend({
  plan: OrganizationRecord.shape.plan.optional().describe(withPermission),
  created_at: OrganizationRecord.shape.created_at.optional().describe(withPermission),
}).meta({ id: 'OrganizationListing' });
export type OrganizationListing = z.infer<typeof OrganizationListing>;
