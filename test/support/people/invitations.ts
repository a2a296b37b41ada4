import type { SentInvitation } from '../../../src/organizations/invitations/schema.ts';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
import type { MemberRecord } from '../../../src/organizations/members/schema.ts';
import type { Gateway, World } from '../worlds/world.ts';
import { askAs, MEMBER } from './organizations.ts';
import { newEmail, signUp, tokenOf } from './people.ts';
import type { SignedUp } from './people.ts';

/** Invites an address, as Member by default. */
export const invite = (
  inviter: SignedUp,
  organization_id: string,
  email: string,
  role_ids: readonly string[] = [MEMBER],
) =>
  askAs<SentInvitation>(inviter, {
    path: `/api/organizations/${organization_id}/invitations`,
    body: { email, role_ids },
  });

/** Invites an address and returns the invitation with the token of its link. */
export async function invited(
  world: Pick<World, 'mailbox'>,
  inviter: SignedUp,
  { id, email, role_ids }: { id: string; email: string; role_ids?: readonly string[] },
) {
  const created = await invite(inviter, id, email, role_ids);
  if (created.status !== 201) throw new Error(`invitation: ${JSON.stringify(created.body)}`);
  return { ...created.body, token: tokenOf(await world.mailbox.next(email)) };
}

export const accept = (who: SignedUp, token: string) =>
  askAs<OrganizationRecord>(who, { method: 'POST', path: `/api/invitations/${token}/accept` });

interface InvitedSeat {
  team_id: string;
  role_ids?: string[];
}

/** Invites an address to teams, as Member. */
export const inviteTo = (
  inviter: SignedUp,
  organization_id: string,
  teams: InvitedSeat[],
  email = newEmail(),
) =>
  askAs<SentInvitation>(inviter, {
    path: `/api/organizations/${organization_id}/invitations`,
    body: { email, role_ids: [MEMBER], teams },
  });

/** Invites a new person to teams; returns the person with the token of the link. */
export async function guestOf(
  { world, gateway }: { world: Pick<World, 'mailbox'>; gateway: Gateway },
  inviter: SignedUp,
  organization_id: string,
  teams: InvitedSeat[],
) {
  const guest = await signUp(world, gateway, 'guest');
  const created = await inviteTo(inviter, organization_id, teams, guest.email);
  if (created.status !== 201) throw new Error(`invitation: ${JSON.stringify(created.body)}`);
  return { guest, invitation: created.body, token: tokenOf(await world.mailbox.next(guest.email)) };
}

/**
 * Returns the teams of a member as the Owner sees them; undefined for a person who is not a member.
 */
export async function teamsOf(owner: SignedUp, organization_id: string, email: string) {
  const { body } = await askAs<{ data: MemberRecord[] }>(owner, {
    path: `/api/organizations/${organization_id}/members?limit=200`,
  });
  return body.data.find((member) => member.email === email)?.teams;
}
