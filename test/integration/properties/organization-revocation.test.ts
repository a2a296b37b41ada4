import { afterAll, beforeAll, expect, test } from 'vitest';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import type { ConnectionsSupport } from '../../support/people/connections.ts';
import { createJoins } from '../../support/people/organizations.ts';
import type { Joins } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { manyGateways, smallCatalog } from './agents-reach.ts';
import { raceKeys } from './key-races.ts';
import { revocations } from './organization-revocations.ts';
import { createRevocable } from './revocable-organization.ts';
import type { Revocable } from './revocable-organization.ts';
import { scaledTimeout, trials } from './trials.ts';

// 8 kinds of revocation with 130 races each, of one key and one revocation.
const RACES = 130;
const ROUNDS = process.env['AUTHZ_CACHE'] === 'off' ? 1 / 5 : 1;

let world: World;
let gateways: [Gateway, Gateway];
let joins: Joins;
let oauth: ConnectionsSupport;
let organizations: readonly Revocable[];
beforeAll(async () => {
  world = await createWorld(manyGateways);
  const start = () => world.gateway({ overrides: { catalog: smallCatalog } });
  gateways = [await start(), await start()];
  joins = await createJoins(gateways[0]);
  oauth = await createConnectionsSupport(world, gateways[0]);
  const owner = await signUp(world, gateways[0], 'owner');
  await world.query("UPDATE account SET plan = 'enterprise' WHERE id = $1", [owner.account_id]);
  const members = [
    await signUp(world, gateways[0], 'mia'),
    await signUp(world, gateways[0], 'tom'),
  ];
  organizations = await Promise.all(
    members.map((member) => createRevocable(owner, member, { joins, oauth })),
  );
}, 180_000);
afterAll(async () => {
  await joins?.close();
  await oauth?.close();
  await world?.close();
});

test.each(Object.entries(revocations))(
  'no call or list in an organization that begins after %s is accepted (P4)',
  async (_, { ways, keys }) => {
    const rounds = (RACES * ROUNDS) / ways.length / keys;
    const races = await Promise.all(
      ways.map(async (prepare, index) => {
        await organizations[index]!.restore();
        return raceKeys(gateways, await prepare(organizations[index]!), rounds);
      }),
    );

    expect(races).toEqual(ways.map(() => trials(rounds) * keys));
  },
  scaledTimeout(180_000),
);

test('at least a thousand races are run, with the cache', () => {
  expect(Object.keys(revocations).length * RACES).toBeGreaterThanOrEqual(1_000);
});
