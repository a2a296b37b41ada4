import { beforeAll, expect, inject, test } from 'vitest';
import { loadModel } from '../../src/authz/model.ts';
import { everyoneTuples, flagTuple } from '../../src/authz/system-roles.ts';
import type { Tuple } from '../../src/authz/tuple.ts';
import { createServerStore } from './server-store.ts';
import type { Question, ServerStore } from './server-store.ts';

const { model } = await loadModel();
const SMALL = 10;
const LARGE = 10_000;
const REPEATS = 5;
const organization = '0198c0de-0000-7000-8000-00000000000a';
const team = '0198c0de-0000-7000-8000-0000000000b0';
const uuid = (kind: string, n: number) =>
  `0198c0de-${kind}-7000-8000-${String(n).padStart(12, '0')}`;

// The person who asks is the first of each crowd; the crowd alone differs.
const me = uuid('0001', 0);
const key = `api_key:${uuid('0002', 0)}`;
const asked: [string, Question][] = [
  ['a personal tool call', { user: key, relation: 'can_use_tools', object: `account:${me}` }],
  ['an organization permission', { user: key, relation: 'can_members_invite', object: seat(me) }],
  ['an organization capability', { user: key, relation: 'can_use_tools', object: seat(me) }],
  ['an active team', { user: key, relation: 'active', object: teamSeat(team, me) }],
  ['a team permission', { user: key, relation: 'can_tools_update', object: teamSeat(team, me) }],
];
const stores: Record<'small' | 'large', ServerStore | null> = { small: null, large: null };

beforeAll(async () => {
  stores.small = await createServerStore(model, 'cost small');
  stores.large = await createServerStore(model, 'cost large');
  await stores.small.write(crowd(SMALL));
  await writeInParallel(stores.large, crowd(LARGE));
}, 120_000);

test.skipIf(inject('openfgaMetricsUrl') === '').each(asked)(
  'datastore reads of %s are the same among 10 and 10 000 members, keys and teams',
  async (_, question) => {
    const small = await readsOf(stores.small, question);
    const large = await readsOf(stores.large, question);

    expect(small).toBeGreaterThan(0);
    expect(large).toBe(small);
    expect(small).toBeLessThanOrEqual(20);
  },
);

test('the questions of the cost are answered yes in both stores', async () => {
  const questions = asked.map(([, question]) => question);

  expect(await stores.small?.ask(questions)).toEqual(asked.map(() => true));
  expect(await stores.large?.ask(questions)).toEqual(asked.map(() => true));
});

function seat(user: string): string {
  return `membership:${organization}.${user}`;
}

function teamSeat(id: string, user: string): string {
  return `team_seat:${id}.${user}`;
}

/** One organization in which each person has a key, a place in the common team and one's own team. */
function crowd(size: number): Tuple[] {
  const role = `org_role:${uuid('0003', 0)}`;
  const teamRole = `team_role:${uuid('0003', 1)}`;
  const flags = ['members_invite'].map((relation) => flagTuple(role, relation));
  const teamFlags = ['mcp_tools', 'tools_update'].map((name) => flagTuple(teamRole, name));
  const people = Array.from({ length: size }, (_, n) => placeOf(n, role, teamRole));

  return [...everyoneTuples(), ...flags, ...teamFlags, ...people.flat()];
}

/** Full detail for the one who asks; for the rest what could be met on the way. */
function placeOf(n: number, role: string, teamRole: string): Tuple[] {
  const user = uuid('0001', n);
  const credential = `api_key:${uuid('0002', n)}`;
  const own = `account:${user}`;
  const place = teamSeat(team, user);
  const of = (subject: string, relation: string, object: string) => ({
    user: subject,
    relation,
    object,
  });
  const common = [
    of(`user:${user}`, 'session', own),
    of(credential, 'principal', own),
    of(own, 'person', seat(user)),
    of(role, 'role', seat(user)),
    of(seat(user), 'joined', place),
    of(seat(user), 'holder', place),
    of(place, 'team_seat', seat(user)),
    of(teamRole, 'role', place),
    of(credential, 'bound', place),
    of(credential, 'bound', teamSeat(uuid('0004', n), user)),
  ];
  if (n > 0) return common;
  return [
    ...common,
    of(credential, 'runs_here', own),
    of(credential, 'declared_tools', own),
    of(credential, 'runs_here', seat(user)),
    of(credential, 'granted', seat(user)),
    of(credential, 'declared_tools', seat(user)),
    of(credential, 'carried_members_invite', seat(user)),
    of(credential, 'team_carried_tools_update', seat(user)),
  ];
}

async function writeInParallel(store: ServerStore, tuples: readonly Tuple[]): Promise<void> {
  const lanes = 8;
  const size = Math.ceil(tuples.length / lanes);
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      store.write(tuples.slice(lane * size, (lane + 1) * size)),
    ),
  );
}

/** From the server's own count; other tests ask in batches, so the checks counted are these. */
async function readsOf(store: ServerStore | null, question: Question): Promise<number> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const before = await readCounter();
    for (let repeat = 0; repeat < REPEATS; repeat += 1) await store?.check(question);
    const after = await readCounter();
    if (after.checks - before.checks === REPEATS) return (after.reads - before.reads) / REPEATS;
  }
  throw new Error('somebody else is asking single checks');
}

async function readCounter(): Promise<{ checks: number; reads: number }> {
  const text = await (await fetch(inject('openfgaMetricsUrl'))).text();
  const sum = (suffix: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`openfga_datastore_query_count_${suffix}{`))
      .filter((line) => line.includes('grpc_method="Check"'))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);

  return { checks: sum('count'), reads: sum('sum') };
}
