import { accept, invite } from '../../support/people/invitations.ts';
import { askAs } from '../../support/people/organizations.ts';
import { newEmail, tokenOf } from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import {
  ESCALATION,
  GIVEN,
  GIVEN_IN_TEAM,
  INVALID,
  NOT_HELD,
  patch,
  post,
  remove,
} from './demoted-giver.ts';
import type { Giver, Grant, SendGrant } from './demoted-giver.ts';

async function must(who: SignedUp, request: SendRequest): Promise<{ id: string }> {
  const { status, body } = await askAs<{ id: string }>(who, request);
  if (status >= 300) throw new Error(`${request.path}: ${JSON.stringify(body)}`);
  return body;
}

/** Has the giver invite a guest, and returns the guest's acceptance. */
async function acceptanceOf(setup: Giver, body: object): Promise<SendGrant> {
  const { world, giver, path, guest, atGiver } = setup;
  await must(giver, { path: `${path}/invitations`, body: { email: guest.email, ...body } });
  const token = tokenOf(await world.mailbox.next(guest.email));
  return () => accept(atGiver(guest), token);
}

/** Has the Owner invite a guest, and returns the giver's request to send the link again. */
async function resendOf({ owner, giver, path }: Giver, body: object): Promise<SendGrant> {
  const invitations = `${path}/invitations`;
  const { id } = await must(owner, { path: invitations, body: { email: newEmail(), ...body } });
  return () => askAs(giver, { method: 'POST', path: `${invitations}/${id}/resend` });
}

/** Grants through roles, by a giver who is demoted in the organization. */
export const roleGrants: readonly Grant[] = [
  [
    'creates a role',
    ({ giver, path }) =>
      () =>
        post(giver, `${path}/roles`, { name: 'Copy', permissions: GIVEN.permissions }),
    NOT_HELD,
  ],
  [
    'creates a role with a capability',
    ({ giver, path }) =>
      () =>
        post(giver, `${path}/roles`, { name: 'Copy', capabilities: GIVEN.capabilities }),
    ESCALATION,
  ],
  [
    'adds a permission to a role',
    ({ giver, path, empty }) =>
      () =>
        patch(giver, `${path}/roles/${empty.id}`, { permissions: GIVEN.permissions }),
    NOT_HELD,
  ],
  [
    'adds a capability to a role',
    ({ giver, path, empty }) =>
      () =>
        patch(giver, `${path}/roles/${empty.id}`, { capabilities: GIVEN.capabilities }),
    ESCALATION,
  ],
  [
    'replaces a role',
    ({ giver, path, empty, held }) =>
      () =>
        remove(giver, `${path}/roles/${empty.id}?replace_with=${held.id}`),
    NOT_HELD,
  ],
  [
    'assigns a role',
    ({ giver, path, member, held }) =>
      () =>
        patch(giver, `${path}/members/${member.account_id}`, { role_ids: [held.id] }),
    NOT_HELD,
  ],
  [
    'assigns a role with a capability',
    ({ giver, path, member, capable }) =>
      () =>
        patch(giver, `${path}/members/${member.account_id}`, { role_ids: [capable.id] }),
    ESCALATION,
  ],
  [
    'invites with a role',
    ({ giver, id, held }) =>
      () =>
        invite(giver, id, newEmail(), [held.id]),
    NOT_HELD,
  ],
  [
    'invites with a role that has a capability',
    ({ giver, id, capable }) =>
      () =>
        invite(giver, id, newEmail(), [capable.id]),
    ESCALATION,
  ],
  [
    'resends an invitation with a role',
    (setup) => resendOf(setup, { role_ids: [setup.held.id] }),
    NOT_HELD,
  ],
  [
    'resends an invitation with a role that has a capability',
    (setup) => resendOf(setup, { role_ids: [setup.capable.id] }),
    ESCALATION,
  ],
  [
    'has sent an invitation that is accepted',
    (setup) => acceptanceOf(setup, { role_ids: [setup.held.id] }),
    INVALID,
  ],
  [
    'has sent an invitation with a capability that is accepted',
    (setup) => acceptanceOf(setup, { role_ids: [setup.capable.id] }),
    INVALID,
  ],
];

const seatWith = ({ team, empty }: Giver, role: { id: string }) => ({
  role_ids: [empty.id],
  teams: [{ team_id: team.id, role_ids: [role.id] }],
});
/** Creates a team role for all teams, and assigns it to the member. */
async function createShared({ owner, path, member, ...setup }: Giver) {
  const shared = await setup.teamRoleOf('Shared', {}, `${path}/team-roles`);
  await setup.setRoles(owner, member, [shared.id]);
  return shared;
}

/** Grants through team roles, by a giver who is demoted in the team. */
export const roleGrantsInTeam: readonly Grant[] = [
  [
    'creates a team role',
    ({ giver, teamPath }) =>
      () =>
        post(giver, `${teamPath}/roles`, { ...GIVEN_IN_TEAM, name: 'Copy' }),
    NOT_HELD,
  ],
  [
    'adds a permission to a team role',
    ({ giver, teamPath, emptyInTeam }) =>
      () =>
        patch(giver, `${teamPath}/roles/${emptyInTeam.id}`, GIVEN_IN_TEAM),
    NOT_HELD,
  ],
  [
    'adds a permission to a role of all teams that a member has there',
    async (setup) => {
      const shared = await createShared(setup);
      return () => patch(setup.giver, `${setup.path}/team-roles/${shared.id}`, GIVEN_IN_TEAM);
    },
    NOT_HELD,
  ],
  [
    'replaces a team role',
    ({ giver, teamPath, emptyInTeam, heldInTeam }) =>
      () =>
        remove(giver, `${teamPath}/roles/${emptyInTeam.id}?replace_with=${heldInTeam.id}`),
    NOT_HELD,
  ],
  [
    'replaces a role of all teams that a member has there',
    async (setup) => {
      const path = `${setup.path}/team-roles`;
      const shared = await createShared(setup);
      const wide = await setup.teamRoleOf('Wide', GIVEN_IN_TEAM, path);
      return () => remove(setup.giver, `${path}/${shared.id}?replace_with=${wide.id}`);
    },
    NOT_HELD,
  ],
  [
    'assigns a team role to a seat',
    ({ giver, seat, member, heldInTeam }) =>
      () =>
        patch(giver, seat(member), { role_ids: [heldInTeam.id] }),
    NOT_HELD,
  ],
  [
    'assigns a role of all teams to a seat',
    async ({ giver, seat, member, path, teamRoleOf }) => {
      const wide = await teamRoleOf('Wide', GIVEN_IN_TEAM, `${path}/team-roles`);
      return () => patch(giver, seat(member), { role_ids: [wide.id] });
    },
    NOT_HELD,
  ],
  [
    'invites to a seat with a team role',
    (setup) => () =>
      post(setup.giver, `${setup.path}/invitations`, {
        email: newEmail(),
        ...seatWith(setup, setup.heldInTeam),
      }),
    NOT_HELD,
  ],
  [
    'resends an invitation to a seat with a team role',
    (setup) => resendOf(setup, seatWith(setup, setup.heldInTeam)),
    NOT_HELD,
  ],
  [
    'has sent an invitation to a seat with a team role that is accepted',
    (setup) => acceptanceOf(setup, seatWith(setup, setup.heldInTeam)),
    INVALID,
  ],
];
