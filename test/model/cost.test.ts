import { beforeAll, expect, inject, test } from 'vitest';
import { loadModel } from '../../src/authz/engine/model.ts';
import { everyoneTuples, flagTuple } from '../../src/authz/system-roles.ts';
import type { Tuple } from '../../src/authz/tuple.ts';
import { trials } from '../integration/properties/trials.ts';
import { createServerStore } from './server-store.ts';
import type { Question, ServerStore } from './server-store.ts';

const model = await loadModel();
const SMALL = 10;
// A walk over all of them would far exceed the limits. `TEST_SCALE=10` writes 10 000 of each.
const LARGE = trials(1_000);
const REPEATS = 10;
const WRITERS = 4;
const organization = '0198c0de-0000-7000-8000-00000000000a';
const team = '0198c0de-0000-7000-8000-0000000000b0';
const uuid = (kind: string, n: number) =>
  `0198c0de-${kind}-7000-8000-${String(n).padStart(12, '0')}`;

// The measured person and key of the organization are the first ones in each store; only the number
// of others differs.
const me = uuid('0001', 0);
const key = `api_key:${uuid('0002', 0)}`;
const owned = uuid('0004', 0);
const ownedKey = `org_key:${owned}`;
const account = `account:${me}`;
const role = `org_role:${uuid('0003', 0)}`;
const teamRole = `team_role:${uuid('0003', 1)}`;
/** Checks and their maximum number of reads; a check that ends early may need fewer. */
const measured: [string, number, Question][] = [
  ['a personal tool call', 3, { user: key, relation: 'can_use_tools', object: account }],
  [
    'an organization permission',
    6,
    { user: key, relation: 'can_members_invite', object: seat(me) },
  ],
  ['an organization capability', 14, { user: key, relation: 'can_use_tools', object: seat(me) }],
  ['an active team', 12, { user: key, relation: 'active', object: teamSeat(team, me) }],
  [
    'a team permission',
    23,
    { user: key, relation: 'can_tools_update', object: teamSeat(team, me) },
  ],
  [
    'a tool call with an organization’s key',
    2,
    { user: ownedKey, relation: 'can_use_tools', object: service(owned) },
  ],
  [
    'a permission of an organization’s key',
    2,
    { user: ownedKey, relation: 'can_members_invite', object: service(owned) },
  ],
  [
    'an active team of an organization’s key',
    5,
    { user: ownedKey, relation: 'active', object: teamSeat(team, owned) },
  ],
  [
    'a team permission of an organization’s key',
    14,
    { user: ownedKey, relation: 'can_tools_update', object: teamSeat(team, owned) },
  ],
];
const stores: Record<'small' | 'large', ServerStore | null> = { small: null, large: null };

beforeAll(async () => {
  stores.small = await createServerStore(model, 'cost small');
  stores.large = await createServerStore(model, 'cost large');
  await stores.small.write(storeTuples(SMALL));
  const tuples = storeTuples(LARGE);
  const part = Math.ceil(tuples.length / WRITERS);
  await Promise.all(
    Array.from({ length: WRITERS }, (_, n) =>
      stores.large!.write(tuples.slice(n * part, (n + 1) * part)),
    ),
  );
}, 180_000);

test.skipIf(inject('openfgaMetricsUrl') === '').each(measured)(
  `%s takes at most %i datastore reads, the same with ${SMALL} and with ${LARGE} members, seats, keys and teams`,
  async (_, reads, question) => {
    const small = await costsOf(stores.small, question);
    const large = await costsOf(stores.large, question);

    for (const cost of [...small, ...large]) {
      expect(cost.reads).toBeGreaterThan(0);
      expect(cost.rows).toBeGreaterThan(0);
      expect(cost.reads).toBeLessThanOrEqual(reads);
      expect(cost.rows).toBeLessThanOrEqual(reads);
    }
    // Checks that end early need fewer reads, in either store: the costs must overlap.
    const readsOf = (costs: readonly Cost[]) => costs.map((cost) => cost.reads);
    expect(Math.min(...readsOf(large))).toBeLessThanOrEqual(Math.max(...readsOf(small)));
  },
);

test('the measured checks are allowed in both stores', async () => {
  const questions = measured.map(([, , question]) => question);

  expect(await stores.small?.ask(questions)).toEqual(measured.map(() => true));
  expect(await stores.large?.ask(questions)).toEqual(measured.map(() => true));
});

function seat(user: string): string {
  return `membership:${organization}.${user}`;
}

function teamSeat(id: string, user: string): string {
  return `team_seat:${id}.${user}`;
}

function service(id: string): string {
  return `service:${organization}.${id}`;
}

/**
 * Returns the tuples of the measured person and key, and of `others` more of each on the same
 * objects: members with their role and seat, keys of the person and of the organization, and teams
 * of the measured key.
 */
function storeTuples(others: number): Tuple[] {
  const tuples = Array.from({ length: others }, (_, n) => [
    tuple(role, 'role', seat(uuid('0001', n))),
    tuple(teamRole, 'role', teamSeat(team, uuid('0001', n))),
    tuple(`api_key:${uuid('0002', n)}`, 'principal', account),
    tuple(service(uuid('0004', n)), 'holder', teamSeat(team, uuid('0004', n))),
    tuple(ownedKey, 'bound', teamSeat(uuid('0005', n), owned)),
  ]);
  return [...everyoneTuples(), ...tuples.flat(), ...ownTuples()];
}

function ownTuples(): Tuple[] {
  const membership = seat(me);
  const mySeat = teamSeat(team, me);
  return [
    flagTuple(role, 'members_invite'),
    flagTuple(teamRole, 'mcp_tools'),
    flagTuple(teamRole, 'tools_update'),
    tuple(`user:${me}`, 'session', account),
    tuple(account, 'person', membership),
    tuple(membership, 'joined', mySeat),
    tuple(membership, 'holder', mySeat),
    tuple(mySeat, 'team_seat', membership),
    tuple(key, 'runs_here', account),
    tuple(key, 'declared_tools', account),
    tuple(key, 'runs_here', membership),
    tuple(key, 'granted', membership),
    tuple(key, 'declared_tools', membership),
    tuple(key, 'carried_members_invite', membership),
    tuple(key, 'team_carried_tools_update', membership),
    tuple(key, 'bound', mySeat),
    tuple(ownedKey, 'bearer', service(owned)),
    tuple(ownedKey, 'declared_tools', service(owned)),
    tuple(ownedKey, 'carried_members_invite', service(owned)),
    tuple(ownedKey, 'team_carried_tools_update', service(owned)),
    tuple(ownedKey, 'bound', teamSeat(team, owned)),
  ];
}

function tuple(user: string, relation: string, object: string): Tuple {
  return { user, relation, object };
}

interface Cost {
  reads: number;
  rows: number;
}

/** Returns the costs of several checks of the same question. */
async function costsOf(store: ServerStore | null, question: Question): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (let attempt = 0; attempt < 10 * REPEATS && costs.length < REPEATS; attempt += 1) {
    const before = await readCounters();
    await store?.check(question);
    const after = await readCounters();
    // Other tests send batches only; a second single check comes from another process.
    if (after.checks !== before.checks + 1) continue;
    costs.push({ reads: after.reads - before.reads, rows: after.rows - before.rows });
  }
  if (costs.length < REPEATS) throw new Error('another process is sending single checks');
  return costs;
}

async function readCounters(): Promise<Cost & { checks: number }> {
  const lines = (await (await fetch(inject('openfgaMetricsUrl'))).text()).split('\n');
  const counter = (name: string) => {
    const line = lines.find((text) => text.startsWith(`${name}{grpc_method="check"`)) ?? ' 0';
    return Number(line.slice(line.lastIndexOf(' ')));
  };

  return {
    checks: counter('openfga_datastore_query_count_count'),
    reads: counter('openfga_datastore_query_count_sum'),
    rows: counter('openfga_datastore_item_count_sum'),
  };
}
