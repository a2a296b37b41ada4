import { beforeAll, describe, expect, test } from 'vitest';
import { loadModel } from '../../src/authz/engine/model.ts';
import type { Tuple } from '../../src/authz/tuple.ts';
import { createEvaluator, schemaOf, typeOf } from './evaluator.ts';
import { createServerStore } from './server-store.ts';
import type { Question, ServerStore } from './server-store.ts';
import { readStoreFile } from './store-file.ts';

const model = await loadModel();
const schema = schemaOf(model);
const { world } = await readStoreFile();
const facts = factsOf(world);
const SAMPLE = 12;
let store: ServerStore;

beforeAll(async () => {
  store = await createServerStore(model, 'kill switches');
  await store.write(world);
});

/** An event: deleting these tuples removes exactly the facts for which `removes` is true. */
interface Event {
  name: string;
  deletes: string[];
  removes: (fact: Question) => boolean;
}

const concerns =
  (user: string, ...objects: string[]) =>
  (fact: Question) =>
    fact.user === user && (objects.length === 0 || objects.includes(fact.object));
const onSeatOf = (person: string) => (fact: Question) =>
  fact.object.endsWith(`.${person}`) && fact.object !== `account:${person}`;

const events: Event[] = [
  {
    name: 'a personal key is revoked (A5)',
    deletes: ['account:mia#principal@api_key:k_org'],
    removes: concerns('api_key:k_org'),
  },
  {
    name: 'a key that follows its person is revoked (A5)',
    deletes: ['account:mia#principal@api_key:k_follow'],
    removes: concerns('api_key:k_follow'),
  },
  {
    name: 'a delegated connection is revoked',
    deletes: ['account:mia#principal@connection:c_del'],
    removes: concerns('connection:c_del'),
  },
  {
    name: "a hybrid client's delegated connection is revoked",
    deletes: ['account:tom#principal@connection:c_hyb'],
    removes: concerns('connection:c_hyb'),
  },
  {
    name: 'client credentials are revoked',
    deletes: ['service:acme.m_cc#bearer@machine:m_cc'],
    removes: concerns('machine:m_cc'),
  },
  {
    name: 'an organization key is revoked',
    deletes: ['service:acme.ok_all#bearer@org_key:ok_all'],
    removes: concerns('org_key:ok_all'),
  },
  {
    name: 'the session of a closed account ends, but its keys do not',
    deletes: ['account:mia#session@user:mia'],
    removes: concerns('user:mia'),
  },
  {
    name: 'a person leaves the organization, with sessions, keys, connections and seats (A6)',
    deletes: ['membership:acme.tom#person@account:tom'],
    removes: onSeatOf('tom'),
  },
  {
    name: 'the Owner leaves the organization (A6)',
    deletes: ['membership:acme.olga#person@account:olga'],
    removes: onSeatOf('olga'),
  },
  {
    name: 'a person leaves a team (C3)',
    deletes: [
      'team_seat:green.tom#joined@membership:acme.tom',
      'team_seat:green.tom#holder@membership:acme.tom',
      'team_seat:green.tom#role@team_role:cap',
      'membership:acme.tom#team_seat@team_seat:green.tom',
    ],
    removes: (fact) =>
      fact.object === 'team_seat:green.tom' ||
      // Only green's role gave these keys of tom their capabilities; frozen authority stays.
      (['api_key:kt_green', 'api_key:kt_follow'].includes(fact.user) &&
        fact.relation.startsWith('can_use_')),
  },
  {
    name: 'a key is unbound from a team (SC3)',
    deletes: ['team_seat:red.mia#bound@api_key:k_org'],
    removes: (fact) =>
      fact.user === 'api_key:k_org' &&
      (fact.object === 'team_seat:red.mia' || fact.relation === 'can_use_tools'),
  },
  {
    name: 'an organization key is unbound from a team, and stays in its other teams (SC3)',
    deletes: ['team_seat:red.ok_all#bound@org_key:ok_all'],
    removes: concerns('org_key:ok_all', 'team_seat:red.ok_all'),
  },
  {
    name: 'a team is deleted, with the seats of its members and of organization keys (C3)',
    deletes: seatsIn('green'),
    removes: ({ user, relation, object }) =>
      object.startsWith('team_seat:green.') ||
      // Only green's role gave these keys of tom their capabilities.
      (['api_key:kt_green', 'api_key:kt_follow'].includes(user) && relation.startsWith('can_use_')),
  },
  {
    name: 'a key stops following its person (C3)',
    deletes: ['membership:acme.mia#follows_teams@api_key:k_follow'],
    removes: (fact) =>
      fact.user === 'api_key:k_follow' &&
      (typeOf(fact.object) === 'team_seat' || fact.relation === 'can_use_tools'),
  },
  {
    name: 'a person loses all_teams_write, so their keys leave the teams they have not joined (SC3)',
    deletes: ['org_role:stew#all_teams_write@everyone:live#any'],
    removes: ({ relation, object }) =>
      object === 'team_seat:blue.nina' ||
      (object === 'team_seat:red.nina' && !/polic/.test(relation)) ||
      (object === 'membership:acme.nina' &&
        /^can_(manage_every_team|all_teams_write)$/.test(relation)),
  },
  {
    name: 'a role is removed from a person (G2)',
    deletes: ['membership:acme.mia#role@org_role:hr'],
    removes: ({ relation, object }) =>
      object === 'membership:acme.mia' &&
      /^can_(members|agents)_|^(can_use|role_mcp)_prompts$/.test(relation),
  },
  {
    name: 'a role loses a permission, for everyone with the role (G2)',
    deletes: ['org_role:hr#members_invite@everyone:live#any'],
    removes: ({ relation, object }) =>
      object === 'membership:acme.mia' && /^can_members_(read|invite)$/.test(relation),
  },
  {
    name: 'a role loses a capability (C3)',
    deletes: ['org_role:hr#mcp_prompts@everyone:live#any'],
    removes: ({ relation, object }) =>
      object === 'membership:acme.mia' && relation.endsWith('_prompts'),
  },
  {
    name: 'a grant for an organization is withdrawn (G6)',
    deletes: [
      'membership:acme.mia#granted@api_key:k_grant',
      'membership:acme.mia#carried_members_invite@api_key:k_grant',
    ],
    removes: concerns('api_key:k_grant', 'membership:acme.mia'),
  },
  {
    name: 'a scope is withdrawn, with the read permission it implied (G1)',
    deletes: ['account:mia#carried_mcp_settings_write@connection:c_pers'],
    removes: ({ user, relation }) =>
      user === 'connection:c_pers' && relation.startsWith('can_mcp_settings_'),
  },
  {
    name: 'a capability is withdrawn (C1)',
    deletes: ['service:acme.m_cc#declared_tools@machine:m_cc'],
    removes: ({ user, relation }) => user === 'machine:m_cc' && relation === 'can_use_tools',
  },
  {
    name: 'a key stops running in the organization',
    deletes: ['membership:acme.mia#runs_here@api_key:k_org'],
    removes: ({ user, relation, object }) =>
      user === 'api_key:k_org' &&
      object === 'membership:acme.mia' &&
      /^can_(connect|use_)|^role_mcp_|^participant$/.test(relation),
  },
  {
    name: 'ownership is transferred, so Owner-only permissions end at once (G3)',
    deletes: ['membership:globex.eve#role@org_role:owner'],
    removes: ({ user, relation, object }) =>
      object === 'membership:globex.eve' &&
      !(user === 'user:eve' && /^can_(see|scope_own_keys)$|^participant$/.test(relation)) &&
      !(user === 'api_key:k_eve' && /^can_(see|connect)$|^participant$/.test(relation)),
  },
];

describe('a deletion removes exactly the expected facts', () => {
  test.each(events)('$name', async ({ deletes, removes }) => {
    const deleted = deletes.map(parse);
    const after = createEvaluator(schema, without(world, deleted));
    const [kept = [], lost = []] = partition(facts, ({ user, relation, object }) =>
      after.check(user, relation, object),
    );

    expect(lost.length).toBeGreaterThan(0);
    expect(lost).toEqual(facts.filter(removes));

    const sampled = [...spread(lost, SAMPLE), ...spread(kept, SAMPLE)];
    const before = await store.ask(sampled);
    await store.remove(deleted);
    const served = await store.ask(sampled);
    await store.write(deleted);

    expect(before.every(Boolean)).toBe(true);
    expect(sampled.filter((_, index) => served[index])).toEqual(spread(kept, SAMPLE));
  });
});

test('the world has enough facts for the events to be meaningful', () => {
  expect(facts.length).toBeGreaterThan(500);
});

/** Returns the tuples of all seats in a team, and those that link them to their members. */
function seatsIn(team: string): string[] {
  const isSeat = (name: string) => name.startsWith(`team_seat:${team}.`);
  return world
    .filter(({ user, object }) => isSeat(object) || isSeat(user))
    .map(({ user, relation, object }) => `${object}#${relation}@${user}`);
}

/** Returns every check that holds, over all subjects and context objects of the world. */
function factsOf(tuples: readonly Tuple[]): Question[] {
  const evaluator = createEvaluator(schema, tuples);
  const subjects = [...new Set(tuples.map(({ user }) => user))].filter((user) =>
    /^(user|api_key|connection|org_key|machine):[^*]/.test(user),
  );
  const seats = [...new Set(tuples.map(({ object }) => object))].filter((object) =>
    /^(account|membership|service|team_seat):/.test(object),
  );

  return seats.flatMap((object) => {
    const relations = [...(schema.get(typeOf(object))?.keys() ?? [])].filter((relation) =>
      /^(can|role_mcp)_|^(active|participant)$/.test(relation),
    );
    return subjects.flatMap((user) =>
      relations
        .filter((relation) => evaluator.check(user, relation, object))
        .map((relation) => ({ user, relation, object })),
    );
  });
}

function without(tuples: readonly Tuple[], deleted: readonly Tuple[]): Tuple[] {
  const remaining = tuples.filter(
    (tuple) =>
      !deleted.some(
        (one) =>
          one.user === tuple.user && one.relation === tuple.relation && one.object === tuple.object,
      ),
  );
  if (remaining.length !== tuples.length - deleted.length)
    throw new Error('no such tuple in the world');
  return remaining;
}

function parse(text: string): Tuple {
  const [, object = '', relation = '', user = ''] = /^([^#]+)#([^@]+)@(.+)$/.exec(text) ?? [];
  return { user, relation, object };
}

function partition<Item>(items: readonly Item[], holds: (item: Item) => boolean): Item[][] {
  const groups = Map.groupBy(items, holds);
  return [groups.get(true) ?? [], groups.get(false) ?? []];
}

/** Returns about `count` items, evenly spread over the list. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}
