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
  confirm: z.string().max(400).describe('The name of the organization as entered by the user.'),
});
export type OrganizationDeletion = z.infer<typeof OrganizationDeletion>;

export const CurrentPassword = z
  .string()
  .max(1_024)
  .optional()
  .describe(
    'Required if the account has a password; otherwise the sign-in must be under ten minutes old.',
  );

/** A reference to a role. */
export const RoleName = z.object({ id: z.guid(), name: z.string() });

/** A reference to a team. */
export const TeamReference = z.object({ id: z.guid(), name: z.string() });

/** What the caller may do in the organization. */
const OwnMembership = z.object({
  roles: z.array(RoleName),
  teams: z.array(TeamReference).describe('The teams in which the person has a seat.'),
  permissions: z.array(z.string()).describe('Includes implied permissions, named as in grants.'),
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
