import { z } from 'zod';
import { RoleIds } from '../members/schema.ts';
import { OrganizationParams, OrganizationRecord, RoleName } from '../schema.ts';

export const InvitationParams = OrganizationParams.extend({
  invitation_id: z.guid().toLowerCase(),
});
export type InvitationParams = z.infer<typeof InvitationParams>;

const ADDRESS_CHARACTERS = 254;

export const InvitationDraft = z.object({
  email: z.string().max(ADDRESS_CHARACTERS).describe('E-mail address.'),
  role_ids: RoleIds.describe('Roles the person gets by joining; none that gives more than yours.'),
});
export type InvitationDraft = z.infer<typeof InvitationDraft>;

export const InvitationRecord = z.object({
  id: z.guid(),
  email: z.string(),
  roles: z.array(RoleName),
  invited_by: z
    .object({ account_id: z.guid(), email: z.string().nullable() })
    .nullable()
    .describe('Null once that account is deleted; the invitation is then void until resent.'),
  status: z.enum(['pending', 'accepted', 'revoked', 'expired']),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});
export type InvitationRecord = z.infer<typeof InvitationRecord>;

/** The secret of the link in the e-mail. */
export const LinkParams = z.object({ token: z.string() });

/** What the holder of a link sees before joining; never the roles. */
export const InvitationPreview = z.object({
  organization: OrganizationRecord.pick({ name: true }),
  invited_by: z.object({ first_name: z.string().nullable(), last_name: z.string().nullable() }),
  email: z.string(),
  expires_at: z.iso.datetime(),
});
export type InvitationPreview = z.infer<typeof InvitationPreview>;
