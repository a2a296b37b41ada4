import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { accept, invite, invited } from '../../support/people/invitations.ts';
import {
  ADMIN,
  askAs,
  at,
  createRole,
  driftOf,
  MEMBER,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { goodPassword, newEmail, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useOrganizations } from '../../support/worlds/use-organizations.ts';

const { world, gateway, organization } = await useOrganizations();
const otherGateway = await world.gateway();

const permissions = ['can_view_organization', 'can_invite_organization_members'];
const readerRole = { name: 'Reader', permissions: ['can_view_organization_roles'] };

/** Creates an organization, and an inviter who can grant only their own custom role. */
async function withInviter() {
  const { id, path, owner, join } = await organization();
  const inviterRole = await createRole(owner, id, {
    ...{ name: 'Inviter', permissions, capabilities: ['tools'] },
  });
  const inviter = await join([inviterRole.id], 'inviter');
  const setRoles = ({ account_id }: SignedUp, role_ids: string[]) =>
    askAs(owner, { method: 'PATCH', path: `${path}/members/${account_id}`, body: { role_ids } });
  const remove = ({ account_id }: SignedUp) =>
    askAs(owner, { method: 'DELETE', path: `${path}/members/${account_id}` });
  const rolesOf = async () => {
    const { body } = await askAs<{ data: { email: string; roles: { name: string }[] }[] }>(owner, {
      path: `${path}/members`,
    });
    return new Map(body.data.map((one) => [one.email, one.roles.map((role) => role.name)]));
  };
  return { id, path, owner, inviter, inviterRole, setRoles, remove, rolesOf };
}

test('an invitation with permissions that the inviter does not have is refused, and the response names each of them', async () => {
  const { id, owner, inviter, inviterRole } = await withInviter();
  const wider = await createRole(owner, id, {
    ...{ name: 'Wider', permissions: ['can_view_organization_usage'], capabilities: ['agents'] },
  });

  const refused = await invite(inviter, id, newEmail(), [inviterRole.id, wider.id]);

  expect(refused.status).toBe(422);
  expect(refused.body.errors?.map(({ code, detail }) => [code, detail])).toEqual([
    ['permission_not_held', { pointer: '/role_ids/1', permission: 'can_view_organization_usage' }],
    ['capability_escalation', { pointer: '/role_ids/1', capability: 'agents' }],
  ]);
  expect((await invite(inviter, id, newEmail(), [inviterRole.id])).status).toBe(201);
});

test('resending an invitation requires every permission it grants, and makes the caller its inviter', async () => {
  const { id, path, owner, inviter, inviterRole, setRoles } = await withInviter();
  const ada = await signUp(world, gateway);
  const admin = await invited(world, owner, { id, email: newEmail(), role_ids: [ADMIN] });
  const own = await invited(world, inviter, { id, email: ada.email, role_ids: [inviterRole.id] });
  const resend = (who: SignedUp, invitationId: string) =>
    askAs<{ invited_by: { email: string } }>(who, {
      method: 'POST',
      path: `${path}/invitations/${invitationId}/resend`,
    });

  expect(outcomeOf(await resend(inviter, admin.id))).toEqual([422, 'permission_not_held']);
  await setRoles(inviter, [MEMBER]);
  expect(outcomeOf(await accept(ada, own.token))).toEqual([422, 'token_invalid']);
  expect((await resend(owner, own.id)).body.invited_by.email).toBe(owner.email);
});

test.each<[string, (setup: Awaited<ReturnType<typeof withInviter>>) => Promise<unknown>]>([
  ['was demoted', ({ setRoles, inviter }) => setRoles(inviter, [MEMBER])],
  [
    'still has the roles but no longer the permission to invite',
    ({ owner, path, inviterRole }) =>
      askAs(owner, {
        method: 'PATCH',
        path: `${path}/roles/${inviterRole.id}`,
        body: { permissions: ['can_view_organization'] },
      }),
  ],
  ['was removed', ({ remove, inviter }) => remove(inviter)],
  ['was deactivated', ({ inviter }) => gateway.service.activate(inviter.email, 'deactivated')],
  [
    'deleted their account',
    ({ inviter }) =>
      askAs(inviter, {
        method: 'DELETE',
        path: '/api/user/account',
        body: { confirm: inviter.email, current_password: inviter.password },
      }),
  ],
])('an invitation cannot be accepted once its inviter %s', async (_what, change) => {
  const setup = await withInviter();
  const ada = await signUp(world, gateway);
  const { token } = await invited(world, setup.inviter, {
    ...{ id: setup.id, email: ada.email, role_ids: [setup.inviterRole.id] },
  });

  await change(setup);

  expect(outcomeOf(await accept(at(ada, otherGateway), token))).toEqual([422, 'token_invalid']);
  expect((await setup.rolesOf()).has(ada.email)).toBe(false);
});

test('an invitation sent before its role was widened beyond the inviter’s permissions cannot be accepted', async () => {
  const { id, path, owner, inviter } = await withInviter();
  const narrow = await createRole(owner, id, { name: 'Narrow', permissions: [] });
  const ada = await signUp(world, gateway);
  const { token } = await invited(world, inviter, {
    ...{ id, email: ada.email, role_ids: [narrow.id] },
  });
  const widen = { permissions: ['can_view_organization_usage'] };
  await askAs(owner, { method: 'PATCH', path: `${path}/roles/${narrow.id}`, body: widen });

  expect(outcomeOf(await accept(ada, token))).toEqual([422, 'token_invalid']);
});

test('once an inviter’s demotion completes, their invitation can no longer be accepted', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { id, inviter, inviterRole, setRoles, rolesOf } = await withInviter();
    const ada = await signUp(world, gateway);
    const { token } = await invited(world, inviter, {
      ...{ id, email: ada.email, role_ids: [inviterRole.id] },
    });

    const accepting = Array.from({ length: 4 }, (_one, index) =>
      setTimeout(index * 4).then(() => accept(index % 2 ? ada : at(ada, otherGateway), token)),
    );
    const [demoted, ...answers] = await Promise.all([setRoles(inviter, [MEMBER]), ...accepting]);

    expect(demoted.status).toBe(200);
    const joined = answers.filter(({ status }) => status === 200);
    expect(joined.length).toBeLessThanOrEqual(1);
    for (const answer of answers)
      expect([[200], [422, 'token_invalid']]).toContainEqual(outcomeOf(answer));
    expect((await rolesOf()).has(ada.email)).toBe(joined.length === 1);
    expect(outcomeOf(await accept(ada, token))).toEqual([422, 'token_invalid']);
  }
  expect(await driftOf(gateway)).toEqual([]);
});

test('once an inviter’s demotion completes, they can no longer invite', async () => {
  const { id, inviter, inviterRole, setRoles } = await withInviter();

  const [demoted, ...sent] = await Promise.all([
    setRoles(inviter, [MEMBER]),
    ...Array.from({ length: 4 }, () =>
      invite(at(inviter, otherGateway), id, newEmail(), [inviterRole.id]),
    ),
  ]);

  expect(demoted.status).toBe(200);
  for (const { status } of sent) expect([201, 403, 422]).toContain(status);
  expect((await invite(inviter, id, newEmail(), [inviterRole.id])).status).toBe(403);
});

test('a role of an open invitation cannot be deleted without a replacement, which the invitation then grants', async () => {
  const { id, path, owner, rolesOf } = await withInviter();
  const [old, next] = [
    await createRole(owner, id, { name: 'Old' }),
    await createRole(owner, id, readerRole),
  ];
  const ada = await signUp(world, gateway);
  const { token } = await invited(world, owner, { id, email: ada.email, role_ids: [old.id] });
  const remove = (query = '') =>
    askAs(owner, { method: 'DELETE', path: `${path}/roles/${old.id}${query}` });

  const refused = await remove();
  expect(outcomeOf(refused)).toEqual([409, 'role_in_use']);
  expect(refused.body.errors?.[0]?.detail).toEqual({ members: 0, invitations: 1, connections: 0 });
  expect((await remove(`?replace_with=${next.id}`)).status).toBe(204);

  expect((await accept(ada, token)).status).toBe(200);
  expect((await rolesOf()).get(ada.email)).toEqual(['Reader']);
});

test('an expired invitation does not prevent deleting its role, and cannot be resent afterwards', async () => {
  const { id, path, owner } = await withInviter();
  const old = await createRole(owner, id, { name: 'Old' });
  const expired = await invited(world, owner, { id, email: newEmail(), role_ids: [old.id] });
  await world.query('UPDATE organization_invitation SET expires_at = now() WHERE id = $1', [
    expired.id,
  ]);

  expect((await askAs(owner, { method: 'DELETE', path: `${path}/roles/${old.id}` })).status).toBe(
    204,
  );

  const resend = { method: 'POST', path: `${path}/invitations/${expired.id}/resend` };
  expect(outcomeOf(await askAs(owner, resend))).toEqual([409, 'invitation_ended']);
});

test('in a suspended organization nobody can invite or join until it is active again', async () => {
  const { id, owner } = await withInviter();
  const ada = await signUp(world, gateway);
  const { token } = await invited(world, owner, { id, email: ada.email });
  await gateway.service.organizations.setStatus(id, 'suspended');

  expect(outcomeOf(await invite(owner, id, newEmail()))).toEqual([403, 'organization_suspended']);
  expect(outcomeOf(await accept(ada, token))).toEqual([422, 'organization_suspended']);

  await gateway.service.organizations.setStatus(id, 'active');
  expect((await accept(ada, token)).status).toBe(200);
});

test('invitation links stop working when the organization or the invited account is deleted', async () => {
  const { id, path, owner } = await withInviter();
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { token } = await invited(world, owner, { id, email: ada.email });
  await invited(world, owner, { id, email: bob.email });

  await askAs(bob, {
    method: 'DELETE',
    path: '/api/user/account',
    body: { confirm: bob.email, current_password: bob.password },
  });
  const query = 'SELECT email FROM organization_invitation WHERE organization_id = $1';
  expect(await world.query(query, [id])).toEqual([{ email: ada.email }]);
  await askAs(owner, {
    method: 'DELETE',
    path,
    body: { confirm: 'Acme', current_password: goodPassword },
  });

  expect(outcomeOf(await accept(ada, token))).toEqual([422, 'token_invalid']);
  await expect.poll(() => world.query(query, [id]), { timeout: 10_000 }).toEqual([]);
});
