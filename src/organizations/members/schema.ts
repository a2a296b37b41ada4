import { z } from 'zod';
import { CurrentPassword, OrganizationParams, RoleName, TeamReference } from '../schema.ts';

export const MemberParams = OrganizationParams.extend({ account_id: z.guid().toLowerCase() });
export type MemberParams = z.infer<typeof MemberParams>;

// Three system roles, and the maximum number of custom roles.
const MAX_ROLES_PER_MEMBER = 103;

export const RoleIds = z
  .array(z.unknown())
  .min(1)
  .max(MAX_ROLES_PER_MEMBER)
  .pipe(z.array(z.guid().toLowerCase()));

export const MemberEdit = z.object({
  role_ids: RoleIds.describe('All roles of the member from now on, at least one.'),
});
export type MemberEdit = z.infer<typeof MemberEdit>;

export const OwnershipTransfer = z.object({
  account_id: z.guid().toLowerCase().describe('A member, who becomes the Owner.'),
  current_password: CurrentPassword,
});
export type OwnershipTransfer = z.infer<typeof OwnershipTransfer>;

export const MemberRecord = z.object({
  account_id: z.guid(),
  email: z.string().nullable(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  roles: z.array(RoleName),
  teams: z.array(TeamReference.extend({ roles: z.array(RoleName) })),
  owner: z.boolean(),
  joined_at: z.iso.datetime(),
});
export type MemberRecord = z.infer<typeof MemberRecord>;
