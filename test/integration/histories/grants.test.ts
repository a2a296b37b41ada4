import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import type { SwitchAct } from '../../support/histories/switches.ts';
import { createOrganization, createRole, MEMBER } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { scaledTimeout } from '../properties/trials.ts';
import { attempt, createHistoryWorld, sendOnce } from './history-world.ts';
import type { Client } from './history-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const histories = await closeAfterTests(createHistoryWorld());
const { world, gateways, joins, record } = histories;
const owner = await signUp(world, gateways[0], 'owner');
await world.query("UPDATE account SET plan = 'enterprise' WHERE id = $1", [owner.account_id]);
const change: (
  who: SignedUp,
  act: SwitchAct,
  request: SendRequest,
) => (at: Gateway) => Promise<void> = (who, act, request) => (gateway) =>
  record(act, () => attempt(who, gateway, request));

test(
  'a member who lost a role cannot grant it, whatever fails meanwhile (H4)',
  async () => {
    const { id } = await createOrganization(owner, 'Acme');
    const path = `/api/organizations/${id}`;
    // Only who has the permission of the role Member may change members who have it.
    const permissions = [
      'can_view_organization',
      'can_view_organization_members',
      'can_update_organization_members',
    ];
    const managing = await createRole(owner, id, { name: 'Managing', permissions });
    const [grantor, grantee] = [
      await signUp(world, gateways[0], 'grantor'),
      await signUp(world, gateways[1], 'grantee'),
    ];
    await joins.add(id, grantor, [managing.id]);
    await joins.add(id, grantee);

    const setRoles = (
      who: SignedUp,
      { account_id }: SignedUp,
      [act, role_ids]: [act: SwitchAct, role_ids: string[]],
    ) =>
      change(who, act, {
        method: 'PATCH',
        path: `${path}/members/${account_id}`,
        body: { role_ids },
      });
    const promote = setRoles(owner, grantor, [
      { what: 'promote grantor', sets: { grantor: true } },
      [managing.id],
    ]);
    const demote = setRoles(owner, grantor, [
      { what: 'demote grantor', sets: { grantor: false } },
      [MEMBER],
    ]);
    const grant = setRoles(grantor, grantee, [
      { what: 'grant', requires: { grantor: true, role: true }, sets: { grantee: true } },
      [managing.id],
    ]);
    // Refusals are quick: without pauses, all would fall between two changes of the grantor.
    const grantLater: Client = async (gateway, random) => {
      await pause(random.below(200));
      await grant(gateway);
    };
    const take = setRoles(owner, grantee, [{ what: 'take', sets: { grantee: false } }, [MEMBER]]);
    const editRole = (isManaging: boolean) =>
      change(
        owner,
        { what: `role manages: ${isManaging}`, sets: { role: isManaging } },
        {
          method: 'PATCH',
          path: `${path}/roles/${managing.id}`,
          body: { permissions: isManaging ? permissions : [] },
        },
      );
    const use = change(
      grantee,
      { what: 'grantee lists members', requires: { grantee: true, role: true } },
      { path: `${path}/members` },
    );

    await histories.check({
      initial: { grantor: true, grantee: false, role: true },
      turns: 20,
      changes: [
        (gateway, random) => random.one([promote, promote, demote])(gateway),
        (gateway, random) => editRole(random.below(4) > 0)(gateway),
        take,
        ...[grantLater, grantLater],
      ],
      mustAllow: 'grant',
      uses: [use, use],
    });
  },
  scaledTimeout(60_000),
);

test(
  'an active name is unique, whatever fails meanwhile (H4)',
  async () => {
    const { id } = await createOrganization(owner, 'Names');
    const kinds = ['teams', 'roles', 'team-roles'] as const;
    const made: string[] = [];

    const create =
      (kind: (typeof kinds)[number]): Client =>
      async (gateway) => {
        // Names the creation, so that it can be found again if its answer was lost.
        const description = randomUUID();
        made.push(`${kind} ${description}`);
        await record(
          {
            what: `create ${kind} ${description}`,
            requires: { [kind]: false },
            sets: { [kind]: true, [`${kind} ${description}`]: true },
          },
          () =>
            attempt(owner, gateway, {
              path: `/api/organizations/${id}/${kind}`,
              body: { name: 'same', description },
            }),
        );
      };
    const remove =
      (kind: (typeof kinds)[number]): Client =>
      async (gateway, random) => {
        const path = `/api/organizations/${id}/${kind}`;
        const { body } = await sendOnce<{
          data?: { id: string; name: string; description: string }[];
        }>(owner, random.one(gateways), { path });
        const found = body.data?.find(({ name }) => name === 'same');
        if (found === undefined) return;
        const one = `${kind} ${found.description}`;
        await record(
          {
            what: `delete ${one}`,
            requires: { [one]: true },
            sets: { [kind]: false, [one]: false },
          },
          () =>
            attempt(owner, gateway, {
              method: 'DELETE',
              path: `${path}/${found.id}`,
              ...(kind === 'teams' ? { body: { confirm: 'same' } } : {}),
            }),
        );
      };

    await histories.check({
      initial: Object.fromEntries(kinds.map((kind) => [kind, false])),
      partitions: () =>
        kinds.map((kind) => [kind, ...made.filter((one) => one.startsWith(`${kind} `))]),
      turns: 20,
      changes: kinds.flatMap((kind) => [create(kind), create(kind), remove(kind)]),
      uses: [],
    });
  },
  scaledTimeout(60_000),
);
