import { z } from 'zod';
import { References } from '../../platform/http/reference.ts';
import { boundedList } from '../../platform/json/bounded-list.ts';
import { MemberRecord, RoleIds } from '../members/schema.ts';
import { OrganizationParams, OrganizationRecord } from '../schema.ts';
import { SeatRoleIds } from '../teams/seats/schema.ts';

export const InvitationParams = OrganizationParams.extend({
  invitation_id: z.guid().toLowerCase().describe('Id of the invitation.'),
});
export type InvitationParams = z.infer<typeof InvitationParams>;

const ADDRESS_CHARACTERS = 254;

// The number of teams that a member may be in.
const MAX_TEAMS = 50;

const InvitedSeat = z
  .object({
    team_id: z.guid().toLowerCase(),
    role_ids: SeatRoleIds.default([]).describe('Roles in the team; may be empty.'),
  })
  .meta({ id: 'InvitedTeamMember' });

export const InvitationDraft = z
  .object({
    email: z.string().max(ADDRESS_CHARACTERS).describe('E-mail address.'),
    role_ids: RoleIds.describe(
      'Roles the person gets on joining. They cannot grant more than you have.',
    ),
    teams: boundedList(InvitedSeat, MAX_TEAMS)
      .refine((seats) => new Set(seats.map(({ team_id }) => team_id)).size === seats.length, {
        message: 'must not name a team twice',
      })
      .default([])
      .describe(
        'Seats the person gets on joining. They cannot grant more than you have in that team.',
      ),
  })
  .meta({ id: 'InvitationDraft' });
export type InvitationDraft = z.infer<typeof InvitationDraft>;

export const InvitationRecord = z
  .object({
    id: z.guid(),
    email: z.string(),
    roles: References,
    teams: MemberRecord.shape.teams,
    invited_by: z
      .object({ account_id: z.guid(), email: z.string().nullable() })
      .nullable()
      .describe(
        'Null after that account is deleted; the invitation then does not work until it is resent.',
      ),
    status: z.enum(['pending', 'accepted', 'revoked', 'expired']),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Invitation' });
export type InvitationRecord = z.infer<typeof InvitationRecord>;

export const SentInvitation = InvitationRecord.extend({
  sent: z
    .boolean()
    .describe(
      'False if the address got too many invitation e-mails within an hour: resend it later. The last link that was sent still works.',
    ),
}).meta({ id: 'SentInvitation' });
export type SentInvitation = z.infer<typeof SentInvitation>;

/** The secret in the e-mailed link. */
export const LinkParams = z.object({
  token: z.string().describe('Secret in the link of the invitation.'),
});

/** What the holder of a link sees before joining; does not include the roles. */
export const InvitationPreview = z
  .object({
    organization: OrganizationRecord.pick({ name: true }),
    invited_by: z.object({ first_name: z.string().nullable(), last_name: z.string().nullable() }),
    email: z.string(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'InvitationPreview' });
export type InvitationPreview = z.infer<typeof InvitationPreview>;
