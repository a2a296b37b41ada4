import { describe, expect, test } from 'vitest';
import { loadModel } from '../../src/authz/engine/model.ts';
import { permissions } from '../../src/authz/permissions.ts';
import type { Tuple } from '../../src/authz/tuple.ts';
import { everyoneTuples } from '../../src/authz/system-roles.ts';
import { createEvaluator, schemaOf, typeOf } from './evaluator.ts';
import type { Schema } from './evaluator.ts';
import { mutantsOf } from './mutants.ts';
import { listed, withViews } from './permission-lists.ts';
import type { ListedContext } from './permission-lists.ts';
import { createRandom } from './random.ts';
import { createServerStore } from './server-store.ts';
import type { Question } from './server-store.ts';
import { expectedOf, idsOf, tuplesOf } from './situations.ts';
import type { SituationIds, Situation, SubjectType } from './situations.ts';

const model = await loadModel();
const schema = schemaOf(model);
const checkedRelations = new Map(
  [...schema].map(([type, relations]) => [
    type,
    [...relations.keys()].filter((name) => /^can_|^active$|^participant$/.test(name)),
  ]),
);
const contextKinds = ['account', 'membership', 'service', 'team'] as const;
type ContextKind = (typeof contextKinds)[number];

const plain: Omit<Situation, 'name'> = {
  subject: 'api_key',
  isFrozen: false,
  isMarked: false,
  personal: null,
  carried: [],
  teamCarried: [],
  role: [],
  teamRole: [],
  isMember: true,
  hasJoined: true,
  isBound: true,
  isLive: true,
};
const callers: [string, SubjectType, boolean][] = [
  ['session', 'user', false],
  ['key', 'api_key', false],
  ['connection', 'connection', false],
  ['frozen connection', 'connection', true],
  ['organization key', 'org_key', false],
  ['client credentials', 'machine', false],
];
/** Whether the key carries the permission, whether its person holds it, and how either is lost. */
const ways: [string, Partial<Situation> | 'carried only' | 'held only' | 'marked'][] = [
  ['carried and held', {}],
  ['carried only', 'carried only'],
  ['held only', 'held only'],
  ['held only, and marked as a key', 'marked'],
  ['not bound', { isBound: false }],
  ['not joined', { hasJoined: false }],
  ['left', { isMember: false }],
  ['revoked', { isLive: false }],
  ['left and revoked', { isMember: false, isLive: false }],
];

const preparedOf = (context: ListedContext) =>
  new Map(listed[context].map((name) => [name, situationsOf(context, name).map(prepare)]));
const prepared = {
  personal: preparedOf('personal'),
  organization: preparedOf('organization'),
  team: preparedOf('team'),
};

test('the handwritten lists and the permission table contain the same names', () => {
  for (const context of ['personal', 'organization', 'team'] as const) {
    expect(listed[context].toSorted()).toEqual(
      permissions[context].map(({ relation }) => relation).toSorted(),
    );
  }
});

describe('the evaluator follows the rules for each permission, each caller, and each way to carry or hold it', () => {
  test.each(['personal', 'organization', 'team'] as const)('%s', (context) => {
    const situations = [...prepared[context].values()].flat();

    expect(situations.length).toBe(listed[context].length * callers.length * ways.length);
    expect(situations.flatMap((situation) => deviations(schema, situation))).toEqual([]);
  });
});

test('a key that carries one permission and whose person holds another gets only what both imply', () => {
  const pairs = (['organization', 'team'] as const).flatMap((context) =>
    listed[context].flatMap((carried) =>
      listed[context].map((held) => ({
        ...plain,
        name: `${context}: carries ${carried}, holds ${held}`,
        ...(context === 'organization'
          ? { carried: [carried], role: [held] }
          : { teamCarried: [carried], teamRole: [held] }),
      })),
    ),
  );
  const kindOf = (situation: Situation) =>
    situation.carried.length > 0 ? (['membership'] as const) : (['team'] as const);

  expect(pairs.length).toBe(48 ** 2 + 40 ** 2);
  expect(pairs.flatMap((pair) => deviations(schema, prepare(pair), kindOf(pair)))).toEqual([]);
});

test('each permission gives a key only that permission and the read permission it implies (on the server)', async () => {
  const random = createRandom(7);
  const store = await createServerStore(model, 'matrix');
  const kindOf = { personal: 'account', organization: 'membership', team: 'team' } as const;
  const cases = (['personal', 'organization', 'team'] as const).flatMap((context) =>
    listed[context].map((permission) => ({ context, permission })),
  );
  const expected = new Map<Question, boolean>();
  const tuples = cases.flatMap(({ context, permission }, index) => {
    const isScopeOnly = context === 'personal' && permission.startsWith('mcp_settings');
    const situation = situationOf(context, permission, isScopeOnly ? 'connection' : 'api_key');
    const kind = kindOf[context];
    const ids = idsOf(situation, String(index));
    const allowed = expectedOf(situation)[kind];
    const others = [random.pick(listed[context]), random.pick(listed[context])];
    for (const name of new Set([...withViews(context, [permission]), ...others])) {
      const relation = `can_${name}`;
      const question = { user: ids.caller, relation, object: ids[kind] };
      expected.set(question, allowed.has(relation));
    }
    return tuplesOf(situation, String(index));
  });
  await store.write([...everyoneTuples(), ...tuples]);

  const answers = await store.ask([...expected.keys()]);

  const wrong = [...expected].filter(([, answer], index) => answers[index] !== answer);
  expect(wrong).toEqual([]);
  expect(answers.filter(Boolean).length).toBeGreaterThan(cases.length);
  expect(answers.filter((answer) => !answer).length).toBeGreaterThan(cases.length);
}, 120_000);

test('the matrix detects every mutation of a relation that is generated per permission', () => {
  const mutants = mutantsOf(schema).flatMap((mutant) => {
    const generated = permissionOf(mutant.type, mutant.relation);
    return generated === null ? [] : [{ ...mutant, ...generated }];
  });

  const survivors = mutants.filter(({ context, permission, schema: faulty }) => {
    // The permission's own situations first: they reveal most faults at once.
    const names = new Set([permission, ...relatedPermissions(context, permission)]);
    const related = [...names].map((name) => prepared[context].get(name) ?? []);
    const everyTeam =
      context === 'team' ? [prepared.organization.get('all_teams_write') ?? []] : [];
    const only = new Set([...names].map((name) => `can_${name}`));
    return ![...related, ...everyTeam]
      .flat()
      .some((situation) => deviations(faulty, situation, contextKinds, only).length > 0);
  });

  expect(mutants.length).toBeGreaterThan(2_000);
  expect(survivors.map(({ name }) => name)).toEqual([]);
}, 120_000);

function situationsOf(context: ListedContext, permission: string): Situation[] {
  return callers.flatMap(([caller, subject, isFrozen]) =>
    ways.map(([way, change]) => {
      const full = situationOf(context, permission, subject);
      const name = `${context} ${permission}: ${caller}, ${way}`;
      const whole = { ...full, name, isFrozen };
      if (change === 'carried only') return { ...whole, role: [], teamRole: [] };
      if (change !== 'held only' && change !== 'marked') return { ...whole, ...change };
      const without = { carried: [], teamCarried: [], personal: full.personal && [] };
      return { ...whole, ...without, isMarked: change === 'marked' };
    }),
  );
}

function situationOf(context: ListedContext, permission: string, subject: SubjectType): Situation {
  const situation = { ...plain, subject, name: `${context} ${permission}` };
  // A key has no grant with that name, and the model rejects the tuple.
  const carries = subject === 'connection' || !permission.startsWith('mcp_settings');
  if (context === 'personal') return { ...situation, personal: carries ? [permission] : [] };
  if (context === 'team')
    return { ...situation, teamCarried: [permission], teamRole: [permission] };
  return { ...situation, carried: [permission], role: [permission] };
}

interface Prepared {
  name: string;
  ids: SituationIds;
  tuples: Tuple[];
  expected: ReturnType<typeof expectedOf>;
}

function prepare(situation: Situation): Prepared {
  return {
    name: situation.name,
    ids: idsOf(situation),
    tuples: [...everyoneTuples(), ...tuplesOf(situation)],
    expected: expectedOf(situation),
  };
}

/** Returns the relations of these context objects for which the model deviates from the rules. */
function deviations(
  testedSchema: Schema,
  { name, ids, tuples, expected }: Prepared,
  checkedKinds: readonly ContextKind[] = contextKinds,
  only?: ReadonlySet<string>,
): string[] {
  const evaluator = createEvaluator(testedSchema, tuples);

  return checkedKinds.flatMap((kind) =>
    checkedRelationsOf(typeOf(ids[kind]))
      .filter((relation) => only === undefined || only.has(relation))
      .filter(
        (relation) =>
          evaluator.check(ids.caller, relation, ids[kind]) !== expected[kind].has(relation),
      )
      .map((relation) => `${name}: ${kind}#${relation}`),
  );
}

function checkedRelationsOf(type: string): string[] {
  return checkedRelations.get(type) ?? [];
}

function relatedPermissions(context: ListedContext, permission: string): string[] {
  const related = listed[context].filter((other) => {
    const together = withViews(context, [other]);
    return together.has(permission) || withViews(context, [permission]).has(other);
  });
  return related;
}

/** Returns the permission of a generated relation, or null for one written by hand. */
function permissionOf(
  type: string,
  relation: string,
): { context: ListedContext; permission: string } | null {
  const own: Record<string, ListedContext> = {
    account: 'personal',
    org_role: 'organization',
    membership: 'organization',
    service: 'organization',
    team_role: 'team',
    team_seat: 'team',
  };
  const forTeams = /^team_carried_(.+)$/.exec(relation)?.[1];
  const context = forTeams === undefined ? own[type] : 'team';
  const permission = forTeams ?? relation.replace(/^(can|carried)_/, '');
  if (context === undefined || !listed[context].includes(permission)) return null;
  return { context, permission };
}
