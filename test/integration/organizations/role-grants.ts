import { accept, invite } from '../../support/people/invitations.ts';
import { askAs } from '../../support/people/organizations.ts';
import { newEmail, tokenOf } from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import {
  ESCALATION,
  GRANTED,
  GRANTED_IN_TEAM,
  INVALID,
  NOT_HELD,
  patch,
  post,
  remove,
} from './demoted-grantor.ts';
import type { Grantor, Grant, SendGrant } from './demoted-grantor.ts';

async function requireSuccess(who: SignedUp, request: SendRequest): Promise<{ id: string }> {
  const { status, body } = await askAs<{ id: string }>(who, request);
  if (status >= 300) throw new Error(`${request.path}: ${JSON.stringify(body)}`);
  return body;
}

/** Has the grantor invite a guest, and returns the guest's acceptance. */
async function acceptanceOf(setup: Grantor, body: object): Promise<SendGrant> {
  const { world, grantor, path, atGrantor } = setup;
  const guest = await setup.guest();
  await requireSuccess(grantor, {
    path: `${path}/invitations`,
    body: { email: guest.email, ...body },
  });
  const token = tokenOf(await world.mailbox.next(guest.email));
  return () => accept(atGrantor(guest), token);
}

/** Has the Owner invite a guest, and returns the grantor's request to send the link again. */
async function resendOf({ owner, grantor, path }: Grantor, body: object): Promise<SendGrant> {
  const invitations = `${path}/invitations`;
  const { id } = await requireSuccess(owner, {
    path: invitations,
    body: { email: newEmail(), ...body },
  });
  return () => askAs(grantor, { method: 'POST', path: `${invitations}/${id}/resend` });
}

/** Grants through roles, by a grantor who is demoted in the organization. */
export const roleGrants: readonly Grant[] = [
  [
    'creates a role',
    ({ grantor, path }) =>
      () =>
        post(grantor, `${path}/roles`, { name: 'Copy', permissions: GRANTED.permissions }),
    NOT_HELD,
  ],
  [
    'creates a role with a capability',
    ({ grantor, path }) =>
      () =>
        post(grantor, `${path}/roles`, { name: 'Copy', capabilities: GRANTED.capabilities }),
    ESCALATION,
  ],
  [
    'adds a permission to a role',
    ({ grantor, path, empty }) =>
      () =>
        patch(grantor, `${path}/roles/${empty.id}`, { permissions: GRANTED.permissions }),
    NOT_HELD,
  ],
  [
    'adds a capability to a role',
    ({ grantor, path, empty }) =>
      () =>
        patch(grantor, `${path}/roles/${empty.id}`, { capabilities: GRANTED.capabilities }),
    ESCALATION,
  ],
  [
    'replaces a role',
    ({ grantor, path, empty, grantable: held }) =>
      () =>
        remove(grantor, `${path}/roles/${empty.id}?replace_with=${held.id}`),
    NOT_HELD,
  ],
  [
    'assigns a role',
    ({ grantor, path, member, grantable: held }) =>
      () =>
        patch(grantor, `${path}/members/${member.account_id}`, { role_ids: [held.id] }),
    NOT_HELD,
  ],
  [
    'assigns a role with a capability',
    ({ grantor, path, member, capable }) =>
      () =>
        patch(grantor, `${path}/members/${member.account_id}`, { role_ids: [capable.id] }),
    ESCALATION,
  ],
  [
    'invites with a role',
    ({ grantor, id, grantable: held }) =>
      () =>
        invite(grantor, id, newEmail(), [held.id]),
    NOT_HELD,
  ],
  [
    'invites with a role that has a capability',
    ({ grantor, id, capable }) =>
      () =>
        invite(grantor, id, newEmail(), [capable.id]),
    ESCALATION,
  ],
  [
    'resends an invitation with a role',
    (setup) => resendOf(setup, { role_ids: [setup.grantable.id] }),
    NOT_HELD,
  ],
  [
    'resends an invitation with a role that has a capability',
    (setup) => resendOf(setup, { role_ids: [setup.capable.id] }),
    ESCALATION,
  ],
  [
    'has sent an invitation that is accepted',
    (setup) => acceptanceOf(setup, { role_ids: [setup.grantable.id] }),
    INVALID,
  ],
  [
    'has sent an invitation with a capability that is accepted',
    (setup) => acceptanceOf(setup, { role_ids: [setup.capable.id] }),
    INVALID,
  ],
];

const seatWith = ({ team, empty }: Grantor, role: { id: string }) => ({
  role_ids: [empty.id],
  teams: [{ team_id: team.id, role_ids: [role.id] }],
});
/** Creates a team role for all teams, and assigns it to the member. */
async function createShared({ owner, path, member, ...setup }: Grantor) {
  const shared = await setup.teamRoleOf('Shared', {}, `${path}/team-roles`);
  await setup.setRoles(owner, member, [shared.id]);
  return shared;
}

/** Grants through team roles, by a grantor who is demoted in the team. */
export const roleGrantsInTeam: readonly Grant[] = [
  [
    'creates a team role',
    ({ grantor, teamPath }) =>
      () =>
        post(grantor, `${teamPath}/roles`, { ...GRANTED_IN_TEAM, name: 'Copy' }),
    NOT_HELD,
  ],
  [
    'adds a permission to a team role',
    ({ grantor, teamPath, emptyInTeam }) =>
      () =>
        patch(grantor, `${teamPath}/roles/${emptyInTeam.id}`, GRANTED_IN_TEAM),
    NOT_HELD,
  ],
  [
    'adds a permission to a role of all teams that a member has there',
    async (setup) => {
      const shared = await createShared(setup);
      return () => patch(setup.grantor, `${setup.path}/team-roles/${shared.id}`, GRANTED_IN_TEAM);
    },
    NOT_HELD,
  ],
  [
    'replaces a team role',
    ({ grantor, teamPath, emptyInTeam, grantableInTeam: heldInTeam }) =>
      () =>
        remove(grantor, `${teamPath}/roles/${emptyInTeam.id}?replace_with=${heldInTeam.id}`),
    NOT_HELD,
  ],
  [
    'replaces a role of all teams that a member has there',
    async (setup) => {
      const path = `${setup.path}/team-roles`;
      const shared = await createShared(setup);
      const wide = await setup.teamRoleOf('Wide', GRANTED_IN_TEAM, path);
      return () => remove(setup.grantor, `${path}/${shared.id}?replace_with=${wide.id}`);
    },
    NOT_HELD,
  ],
  [
    'assigns a team role to a seat',
    ({ grantor, seat, member, grantableInTeam: heldInTeam }) =>
      () =>
        patch(grantor, seat(member), { role_ids: [heldInTeam.id] }),
    NOT_HELD,
  ],
  [
    'assigns a role of all teams to a seat',
    async ({ grantor, seat, member, path, teamRoleOf }) => {
      const wide = await teamRoleOf('Wide', GRANTED_IN_TEAM, `${path}/team-roles`);
      return () => patch(grantor, seat(member), { role_ids: [wide.id] });
    },
    NOT_HELD,
  ],
  [
    'invites to a seat with a team role',
    (setup) => () =>
      post(setup.grantor, `${setup.path}/invitations`, {
        email: newEmail(),
        ...seatWith(setup, setup.grantableInTeam),
      }),
    NOT_HELD,
  ],
  [
    'resends an invitation to a seat with a team role',
    (setup) => resendOf(setup, seatWith(setup, setup.grantableInTeam)),
    NOT_HELD,
  ],
  [
    'has sent an invitation to a seat with a team role that is accepted',
    (setup) => acceptanceOf(setup, seatWith(setup, setup.grantableInTeam)),
    INVALID,
  ],
];
