import { z } from 'zod';
import { Reference, References } from '../../platform/http/reference.ts';
import { searchQuery } from '../../platform/http/list-query.ts';
import { boundedList } from '../../platform/json/bounded-list.ts';
import { CurrentPassword, MemberId } from '../../caller/schema.ts';
import { OrganizationParams } from '../schema.ts';

export const MemberParams = OrganizationParams.extend({ account_id: MemberId });
export type MemberParams = z.infer<typeof MemberParams>;

// Three system roles, and the maximum number of custom roles.
const MAX_ROLES_PER_MEMBER = 103;

export const RoleIds = boundedList(z.guid().toLowerCase(), MAX_ROLES_PER_MEMBER, 1);

export const MemberEdit = z
  .object({
    role_ids: RoleIds.describe('All roles of the member from now on, at least one.'),
  })
  .meta({ id: 'MemberEdit' });
export type MemberEdit = z.infer<typeof MemberEdit>;

export const OwnershipTransfer = z
  .object({
    account_id: z.guid().toLowerCase().describe('A member, who becomes the Owner.'),
    current_password: CurrentPassword,
  })
  .meta({ id: 'OwnershipTransfer' });
export type OwnershipTransfer = z.infer<typeof OwnershipTransfer>;

/** The query of an organization's list of members. */
export const MemberListParameters = searchQuery(
  'Only members whose e-mail address, first name or last name begins with this text, in any case. They are then sorted by what was found.',
).extend({
  role_id: z.guid().toLowerCase().optional().describe('Only members who have this role.'),
  team_id: z.guid().toLowerCase().optional().describe('Only members who are in this team.'),
});

export const MemberRecord = z
  .object({
    account_id: z.guid(),
    email: z.string().nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    roles: References,
    teams: z.array(Reference.extend({ roles: References })),
    owner: z.boolean(),
    joined_at: z.iso.datetime(),
  })
  .meta({ id: 'Member' });
export type MemberRecord = z.infer<typeof MemberRecord>;
