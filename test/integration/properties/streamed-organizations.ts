import {
  at,
  createJoins,
  createOrganization,
  createRole,
} from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { create, draftOf } from '../organizations/content-items.ts';
import { manyGateways, smallCatalog } from './agents-reach.ts';
import { must } from './revocable-organization.ts';
import { LISTS } from './session-stream.ts';
import type { List } from './session-stream.ts';

const families = { tools: 'custom-tools', prompts: 'prompts', resources: 'resources' } as const;

/** A space, and the ids of the items that changes add and remove, by list. */
interface Space {
  path: string;
  owner: SignedUp;
  fields: object;
  items: Map<List, string>;
}

/** A key, and the spaces whose items it lists. */
interface Key {
  secret: string;
  spaces: ReadonlySet<Space>;
  /** Binds it to the other team of its organization. */
  rebind?(gateway: Gateway): Promise<void>;
}

export type Change =
  | { does: 'item'; space: number; list: List }
  | { does: 'rebind'; key: number }
  | { does: 'seat' };

const spaceAt = (path: string, owner: SignedUp, fields = {}): Space => ({
  ...{ path, owner, fields, items: new Map() },
});

/** Adds the space's item to a list, or removes it. */
async function toggleItem({ path, owner, fields, items }: Space, list: List, gateway: Gateway) {
  const who = at(owner, gateway);
  const target = `${path}/${families[list]}`;
  const id = items.get(list);
  if (id === undefined) {
    const body = { ...draftOf(families[list], 'changing'), ...fields };
    items.set(list, (await must<{ id: string }>(who, { path: target, body })).id);
    return;
  }
  await must(who, { method: 'DELETE', path: `${target}/${id}` });
  items.delete(list);
}

/** Creates an organization with the teams `red` and `blue`, each with an item on every list. */
async function createSpaces(owner: SignedUp, members: readonly SignedUp[], join: Join) {
  const { id } = await createOrganization(owner);
  const path = `/api/organizations/${id}`;
  const role = await createRole(owner, id, { name: 'Calling', capabilities: [...LISTS] });
  for (const member of members) await join(id, member, [role.id]);
  async function teamOf(name: string) {
    const team = await createTeam(owner, id, name);
    const seats = seatsOf(id, team.id);
    for (const list of LISTS) await create(owner, seats.path, families[list]);
    for (const member of members) await seats.add(owner, member);
    return { id: team.id, seats, space: spaceAt(seats.path, owner) };
  }
  const catalog = spaceAt(path, owner, { organization_wide: true });
  return { id, path, catalog, red: await teamOf('red'), blue: await teamOf('blue') };
}
type Join = Awaited<ReturnType<typeof createJoins>>['add'];

/**
 * Creates two organizations with equal names, and keys of all kinds: two of `mia`, who is in all
 * teams, one of `ben`, who joins and leaves a team, two of the organizations, and a personal one.
 */
export async function createStreamedWorld() {
  const world = await createWorld(manyGateways);
  const start = () => world.gateway({ overrides: { catalog: smallCatalog } });
  const gateways = [await start(), await start()] as const;
  const joins = await createJoins(gateways[0]);
  const owner = await signUp(world, gateways[0], 'owner');
  await world.query("UPDATE account SET plan = 'enterprise' WHERE id = $1", [owner.account_id]);
  const [mia, ben] = [await signUp(world, gateways[0]), await signUp(world, gateways[0])];
  const first = await createSpaces(owner, [mia, ben], joins.add);
  const second = await createSpaces(owner, [mia], joins.add);
  const personal = spaceAt('/api/me', mia);
  const capable = { mcp_capabilities: LISTS };

  type Organization = typeof first;
  const followed = ({ catalog, red, blue }: Organization) =>
    new Set([catalog, red.space, blue.space]);

  /** Creates a key that is bound to the team `red`; of the organization if it has no person. */
  async function bound(organization: Organization, person?: SignedUp): Promise<Key> {
    const { id, path, catalog, red, blue } = organization;
    const who = person ?? owner;
    const keys = person === undefined ? `${path}/keys` : '/api/keys';
    let [team, other] = [red, blue];
    const created = await must<{ id: string; secret: string }>(who, {
      path: keys,
      body: {
        ...{ ...capable, name: `key of ${id}`, team_ids: [team.id] },
        ...(person === undefined ? {} : { org_scope: id }),
      },
    });
    const key: Key = {
      secret: created.secret,
      spaces: new Set([catalog, team.space]),
      async rebind(gateway) {
        [team, other] = [other, team];
        const body = { team_ids: [team.id] };
        await must(at(who, gateway), { method: 'PATCH', path: `${keys}/${created.id}`, body });
        key.spaces = new Set([catalog, team.space]);
      },
    };
    return key;
  }

  const ofBen = await createKey(ben, { ...capable, org_scope: first.id });
  const following: Key = { ...ofBen, spaces: followed(first) };
  const ofSecond = await must<{ secret: string }>(owner, {
    path: `${second.path}/keys`,
    body: { ...capable, name: 'all teams' },
  });
  const keys: readonly Key[] = [
    await bound(first, mia),
    await bound(second, mia),
    await bound(first),
    following,
    { ...ofSecond, spaces: followed(second) },
    { ...(await createKey(mia, capable)), spaces: new Set([personal]) },
  ];

  /** Adds ben to the team `blue`, or removes him. */
  async function toggleSeat(gateway: Gateway) {
    const { seats, space } = first.blue;
    const isIn = following.spaces.has(space);
    const { status } = await seats[isIn ? 'remove' : 'add'](at(owner, gateway), ben);
    if (status >= 300) throw new Error(`seat: ${status}`);
    const all = followed(first);
    following.spaces = isIn ? all.difference(new Set([space])) : all;
  }

  /** The first three are the spaces that all keys of a place list. */
  const spaces = [
    ...[first.catalog, second.catalog, personal],
    ...[first.red.space, first.blue.space, second.red.space, second.blue.space],
  ];
  return {
    ...{ gateways, keys, spaces },
    shared: spaces.slice(0, 3),
    /** Carries out a change at a gateway. */
    change: (one: Change, gateway: Gateway) =>
      one.does === 'item'
        ? toggleItem(spaces[one.space]!, one.list, gateway)
        : one.does === 'seat'
          ? toggleSeat(gateway)
          : keys[one.key]!.rebind!(gateway),
    /** Returns what each key lists now, as texts that differ if the lists do. */
    lists: () =>
      keys.map((key) =>
        LISTS.map((list) =>
          [...key.spaces].map(({ path, items }) => `${path} ${items.get(list) ?? ''}`).join('\n'),
        ),
      ),
    async close() {
      await joins.close();
      await world.close();
    },
  };
}
export type StreamedWorld = Awaited<ReturnType<typeof createStreamedWorld>>;
