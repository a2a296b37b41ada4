import { expect, test } from 'vitest';
import type { MemberRecord } from '../../../src/organizations/members/schema.ts';
import { goodPassword, signUp, sortedStatuses } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import {
  ADMIN,
  askAs,
  at,
  createOrganization,
  createRole,
  driftOf,
  outcomeOf,
  OWNER,
} from '../../support/people/organizations.ts';
import { interleaved } from '../../support/worlds/interleaved.ts';
import { useOrganizations } from '../../support/worlds/use-organizations.ts';

const { world, gateway, joins } = await useOrganizations();
const otherGateway = await world.gateway();

const transfer = (
  from: SignedUp,
  id: string,
  { account_id }: SignedUp,
  proof: object = { current_password: goodPassword },
) =>
  askAs(from, {
    path: `/api/organizations/${id}/transfer-ownership`,
    body: { account_id, ...proof },
  });
const ownersOf = (id: string) =>
  world.query<{ account_id: string }>(
    `SELECT account_id FROM membership m JOIN membership_role r ON r.membership_id = m.id
     WHERE m.organization_id = $1 AND role_id = $2`,
    [id, OWNER],
  );
const rolesOf = async (who: SignedUp, id: string) => {
  const path = `/api/organizations/${id}/members`;
  const { body } = await askAs<{ data: MemberRecord[] }>(who, { path });
  return new Map(body.data.map((one) => [one.account_id, one.roles.map(({ name }) => name)]));
};

test('the former Owner becomes an Admin at once, and both keep their other roles', async () => {
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { id } = await createOrganization(ada);
  const helper = await createRole(ada, id, { name: 'Helper' });
  await joins.add(id, bob, [helper.id, ADMIN]);
  const remove = (who: SignedUp) =>
    askAs(at(who, otherGateway), {
      ...{
        method: 'DELETE',
        path: `/api/organizations/${id}`,
        body: { confirm: 'No', current_password: goodPassword },
      },
    });
  expect([outcomeOf(await remove(ada)), outcomeOf(await remove(bob))]).toEqual([
    [422, 'confirmation_mismatch'],
    [403, 'permission_denied'],
  ]);

  expect((await transfer(ada, id, bob)).status).toBe(204);

  expect([outcomeOf(await remove(ada)), outcomeOf(await remove(bob))]).toEqual([
    [403, 'permission_denied'],
    [422, 'confirmation_mismatch'],
  ]);
  const roles = await rolesOf(ada, id);
  expect([roles.get(ada.account_id), roles.get(bob.account_id)]).toEqual([
    ['Admin'],
    ['Owner', 'Helper'],
  ]);
});

test('a transfer requires the current password, and a recipient who is another member', async () => {
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { id } = await createOrganization(ada);
  await joins.add(id, bob);

  expect(outcomeOf(await transfer(ada, id, bob, {}))).toEqual([403, 'reauthentication_required']);
  expect(
    outcomeOf(await transfer(ada, id, bob, { current_password: 'not this one at all' })),
  ).toEqual([403, 'reauthentication_required']);
  expect(outcomeOf(await transfer(ada, id, ada))).toEqual([422, 'not_a_member']);
  expect(outcomeOf(await transfer(ada, id, await signUp(world, gateway)))).toEqual([
    422,
    'not_a_member',
  ]);
  expect(await ownersOf(id)).toEqual([{ account_id: ada.account_id }]);
});

test('a transfer is refused if the recipient’s account is deactivated, even between decision and commit', async () => {
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { id } = await createOrganization(ada);
  await joins.add(id, bob);

  const [transferred] = await interleaved(
    world,
    ada.account_id,
    () => transfer(ada, id, bob),
    () => otherGateway.service.activate(bob.email, 'deactivated'),
  );

  expect(outcomeOf(transferred)).toEqual([422, 'not_a_member']);
  expect(outcomeOf(await transfer(ada, id, bob))).toEqual([422, 'not_a_member']);
  expect(await ownersOf(id)).toEqual([{ account_id: ada.account_id }]);
});

test('a transfer is refused if the recipient already owns as many organizations as their plan allows', async () => {
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { id } = await createOrganization(ada);
  await joins.add(id, bob);
  await createOrganization(bob, 'Bob’s');

  expect(outcomeOf(await transfer(ada, id, bob))).toEqual([422, 'limit_reached']);
  expect(await ownersOf(id)).toEqual([{ account_id: ada.account_id }]);
});

test('only one of 20 concurrent transfers on two gateways succeeds, and one Owner remains', async () => {
  const ada = await signUp(world, gateway);
  const { id } = await createOrganization(ada);
  const people: SignedUp[] = [];
  for (let index = 0; index < 4; index += 1) people.push(await signUp(world, gateway, 'heir'));
  for (const person of people) await joins.add(id, person, [ADMIN]);

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      transfer(at(ada, index % 2 ? gateway : otherGateway), id, people[index % 4]!),
    ),
  );

  const [first, ...others] = sortedStatuses(answers);
  expect(first).toBe(204);
  // Requests beyond ten concurrent password checks get a 429 before any decision.
  for (const status of others) expect([403, 429]).toContain(status);
  const owners = await ownersOf(id);
  expect(owners).toHaveLength(1);
  expect(people.map(({ account_id }) => account_id)).toContain(owners[0]!.account_id);
  expect(await driftOf(gateway)).toEqual([]);
});

test('a transfer concurrent with the recipient’s leaving never leaves the organization without an Owner (rel:B9-3)', async () => {
  for (let round = 0; round < 5; round += 1) {
    const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
    const { id } = await createOrganization(ada);
    await joins.add(id, bob);
    const leave = {
      method: 'DELETE',
      path: `/api/organizations/${id}/members/${bob.account_id}`,
    };

    const [moved, left] = await Promise.all([
      transfer(ada, id, bob),
      askAs(at(bob, otherGateway), leave),
    ]);

    const outcomes = [moved.status, left.status].join(' ');
    expect(['204 422', '422 204']).toContain(outcomes);
    expect(await ownersOf(id)).toEqual([
      { account_id: (moved.status === 204 ? bob : ada).account_id },
    ]);
  }
  expect(await driftOf(gateway)).toEqual([]);
});
