import { beforeAll, expect, inject, test } from 'vitest';
import { loadModel } from '../../src/authz/model.ts';
import { everyoneTuples, flagTuple } from '../../src/authz/system-roles.ts';
import type { Tuple } from '../../src/authz/tuple.ts';
import { createServerStore } from './server-store.ts';
import type { Question, ServerStore } from './server-store.ts';

const model = await loadModel();
const SMALL = { members: 10, placesAndKeys: 10 };
const LARGE = { members: 10_000, placesAndKeys: 1_000 };
const REPEATS = 10;
const organization = '0198c0de-0000-7000-8000-00000000000a';
const team = '0198c0de-0000-7000-8000-0000000000b0';
const uuid = (kind: string, n: number) =>
  `0198c0de-${kind}-7000-8000-${String(n).padStart(12, '0')}`;

// The measured person is the first member in each store; only the number of others differs.
const me = uuid('0001', 0);
const key = `api_key:${uuid('0002', 0)}`;
const account = `account:${me}`;
const role = `org_role:${uuid('0003', 0)}`;
const teamRole = `team_role:${uuid('0003', 1)}`;
/** Checks with their maximum reads over all branches; an early result may need fewer. */
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
];
const stores: Record<'small' | 'large', ServerStore | null> = { small: null, large: null };

beforeAll(async () => {
  stores.small = await createServerStore(model, 'cost small');
  stores.large = await createServerStore(model, 'cost large');
  await stores.small.write(storeTuples(SMALL));
  await stores.large.write(storeTuples(LARGE));
}, 120_000);

test.skipIf(inject('openfgaMetricsUrl') === '').each(measured)(
  '%s takes at most %i datastore reads, with 10 members and with 10 000 members and 1 000 keys',
  async (_, reads, question) => {
    const costs = {
      small: await costOf(stores.small, question),
      large: await costOf(stores.large, question),
    };

    for (const cost of Object.values(costs)) {
      expect(cost.reads).toBeGreaterThan(0);
      expect(cost.rows).toBeGreaterThan(0);
      expect(cost.reads).toBeLessThanOrEqual(reads);
      expect(cost.rows).toBeLessThanOrEqual(reads);
    }
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

/**
 * Returns the measured person's tuples, and those of the given numbers of others on the same objects.
 */
function storeTuples({ members, placesAndKeys }: typeof SMALL): Tuple[] {
  const numbers = Array.from({ length: members }, (_, n) => n);
  const roles = numbers.map((n) => of(role, 'role', seat(uuid('0001', n))));
  const others = numbers
    .slice(0, placesAndKeys)
    .flatMap((n) => [
      of(teamRole, 'role', teamSeat(team, uuid('0001', n))),
      of(`api_key:${uuid('0002', n)}`, 'principal', account),
    ]);
  return [...everyoneTuples(), ...roles, ...others, ...ownTuples()];
}

function ownTuples(): Tuple[] {
  const membership = seat(me);
  const place = teamSeat(team, me);
  return [
    flagTuple(role, 'members_invite'),
    flagTuple(teamRole, 'mcp_tools'),
    flagTuple(teamRole, 'tools_update'),
    of(`user:${me}`, 'session', account),
    of(account, 'person', membership),
    of(membership, 'joined', place),
    of(membership, 'holder', place),
    of(place, 'team_seat', membership),
    of(key, 'runs_here', account),
    of(key, 'declared_tools', account),
    of(key, 'runs_here', membership),
    of(key, 'granted', membership),
    of(key, 'declared_tools', membership),
    of(key, 'carried_members_invite', membership),
    of(key, 'team_carried_tools_update', membership),
    of(key, 'bound', place),
  ];
}

function of(user: string, relation: string, object: string): Tuple {
  return { user, relation, object };
}

interface Cost {
  reads: number;
  rows: number;
}

/** Returns the maximum cost of several checks. */
async function costOf(store: ServerStore | null, question: Question): Promise<Cost> {
  const costs: Cost[] = [];
  for (let attempt = 0; attempt < 10 * REPEATS && costs.length < REPEATS; attempt += 1) {
    const before = await readCounters();
    await store?.check(question);
    const after = await readCounters();
    // Other tests send batches; a second single check would be from elsewhere.
    if (after.checks !== before.checks + 1) continue;
    costs.push({ reads: after.reads - before.reads, rows: after.rows - before.rows });
  }
  if (costs.length < REPEATS) throw new Error('another process is sending single checks');
  return {
    reads: Math.max(...costs.map(({ reads }) => reads)),
    rows: Math.max(...costs.map(({ rows }) => rows)),
  };
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
