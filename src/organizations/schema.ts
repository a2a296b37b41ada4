import { z } from 'zod';
import { capabilities } from '../authz/permissions.ts';
import { planNames } from '../platform/config/plans.ts';
import { visibleName } from '../platform/text/visible-name.ts';

const NAME_CHARACTERS = 100;

export const OrganizationParams = z.object({ organization_id: z.guid().toLowerCase() });

export const OrganizationDraft = z.object({ name: visibleName(NAME_CHARACTERS) });
export type OrganizationDraft = z.infer<typeof OrganizationDraft>;

export const OrganizationEdit = OrganizationDraft.partial();
export type OrganizationEdit = z.infer<typeof OrganizationEdit>;

export const OrganizationDeletion = z.object({
  confirm: z.string().max(400).describe('The name of the organization as typed by the person.'),
});
export type OrganizationDeletion = z.infer<typeof OrganizationDeletion>;

export const CurrentPassword = z
  .string()
  .max(1_024)
  .optional()
  .describe('Needed where the account has a password; else a sign-in under ten minutes old.');

/** A role, where it is only referred to. */
export const RoleName = z.object({ id: z.guid(), name: z.string() });

/** A team, where it is only referred to. */
export const TeamReference = z.object({ id: z.guid(), name: z.string() });

/** What the asker may do in the organization. */
const OwnMembership = z.object({
  roles: z.array(RoleName),
  teams: z.array(TeamReference).describe('Those with a seat of the person.'),
  permissions: z.array(z.string()).describe('With the implied ones, by their names in grants.'),
  capabilities: z.array(z.enum(capabilities)),
});

export const OrganizationRecord = z.object({
  id: z.guid(),
  name: z.string(),
  plan: z.enum(planNames),
  status: z.enum(['active', 'suspended']),
  created_at: z.iso.datetime(),
  membership: OwnMembership,
});
export type OrganizationRecord = z.infer<typeof OrganizationRecord>;
