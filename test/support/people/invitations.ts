import type { InvitationRecord } from '../../../src/organizations/invitations/schema.ts';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
import type { World } from '../worlds/world.ts';
import { askAs, MEMBER } from './organizations.ts';
import { tokenOf } from './people.ts';
import type { SignedUp } from './people.ts';

/** Invites an address; as Member by default. */
export const invite = (
  inviter: SignedUp,
  organization_id: string,
  email: string,
  role_ids: readonly string[] = [MEMBER],
) =>
  askAs<InvitationRecord>(inviter, {
    path: `/api/organizations/${organization_id}/invitations`,
    body: { email, role_ids },
  });

/** Invites an address and returns the invitation with the token of its link. */
export async function invited(
  world: Pick<World, 'mailbox'>,
  inviter: SignedUp,
  { id, email, role_ids }: { id: string; email: string; role_ids?: readonly string[] },
) {
  const made = await invite(inviter, id, email, role_ids);
  if (made.status !== 201) throw new Error(`invitation: ${JSON.stringify(made.body)}`);
  return { ...made.body, token: tokenOf(await world.mailbox.next(email)) };
}

export const accept = (who: SignedUp, token: string) =>
  askAs<OrganizationRecord>(who, { method: 'POST', path: `/api/invitations/${token}/accept` });
