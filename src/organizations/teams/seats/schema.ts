import { z } from 'zod';
import { MemberId } from '../../../caller/schema.ts';
import { boundedList } from '../../../platform/json/bounded-list.ts';
import { MemberRecord } from '../../members/schema.ts';
import { TeamParams } from '../schema.ts';

export const SeatParams = TeamParams.extend({ account_id: MemberId });
export type SeatParams = z.infer<typeof SeatParams>;

const MAX_ROLES_PER_SEAT = 20;

export const SeatRoleIds = boundedList(z.guid().toLowerCase(), MAX_ROLES_PER_SEAT);

export const SeatDraft = z
  .object({
    account_id: z.guid().toLowerCase().describe('A member of the organization.'),
    role_ids: SeatRoleIds.default([]).describe('Roles of the member in the team; may be empty.'),
  })
  .meta({ id: 'TeamMemberDraft' });
export type SeatDraft = z.infer<typeof SeatDraft>;

export const SeatEdit = z
  .object({
    role_ids: SeatRoleIds.describe('All roles of the member in the team from now on.'),
  })
  .meta({ id: 'TeamMemberEdit' });
export type SeatEdit = z.infer<typeof SeatEdit>;

export const SeatRecord = MemberRecord.omit({ teams: true, owner: true }).meta({
  id: 'TeamMember',
});
export type SeatRecord = z.infer<typeof SeatRecord>;
