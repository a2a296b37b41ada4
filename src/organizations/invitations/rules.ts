import type { Authority } from '../../caller/actor.ts';
import type { InvitationRow } from './store.ts';
import { conflict, unprocessable } from '../../platform/errors/refusal.ts';

/** Builds the same error for every link that does not work: wrong, used, revoked or expired. */
export const invitationInvalid = (pointer = '/token') =>
  unprocessable('token_invalid', 'This invitation is invalid or has ended. Ask for a new one.', {
    detail: { pointer },
  });

export const alreadyInvited = () =>
  conflict('already_invited', 'This address has an open invitation: resend or revoke that one.', {
    detail: { pointer: '/email' },
  });

export const invitationEnded = () =>
  conflict('invitation_ended', 'This invitation has ended. Create a new one.');

export const forAnotherAddress = (pointer = '/token') =>
  unprocessable(
    'invitation_for_another_address',
    'This invitation was sent to another address: sign in or register with that one.',
    { detail: { pointer } },
  );

export const organizationSuspended = () =>
  unprocessable(
    'organization_suspended',
    'This organization is suspended: accept the invitation once it is reactivated.',
  );

/** Returns the common fields of an edit of one invitation, under the organization's lock. */
export const editOf = (
  { id, organization_id }: { id: string; organization_id: string },
  authority: Authority,
) =>
  ({
    ...authority,
    writes: [{ kind: 'organization', id: organization_id }],
    targets: [{ type: 'invitation', id }],
  }) as const;

/** Returns an invitation's details for the audit log, which never contain its address. */
export const detailOf = ({
  invited_by,
  ...content
}: Pick<InvitationRow, 'invited_by' | 'roles' | 'teams'>) => ({
  invited_by: invited_by?.account_id ?? null,
  ...idsOf(content),
});

/** Returns the ids of the roles and seats that an invitation grants. */
export const idsOf = ({ roles, teams }: Pick<InvitationRow, 'roles' | 'teams'>) => ({
  role_ids: roles.map(({ id }) => id),
  teams: teams.map((team) => ({ team_id: team.id, role_ids: team.roles.map(({ id }) => id) })),
});
