import { expect, test } from 'vitest';
import { loadModel } from '../../src/authz/engine/model.ts';
import { createProver } from '../../src/authz/decisions/evaluator.ts';
import type { Tuple } from '../../src/authz/tuple.ts';
import { tupleKey } from '../../src/authz/tuple.ts';
import { createEvaluator, schemaOf, typeOf } from './evaluator.ts';
import { createRandom } from './random.ts';
import type { Random } from './random.ts';
import { createServerStore } from './server-store.ts';
import type { Question } from './server-store.ts';
import { readStoreFile } from './store-file.ts';

const model = await loadModel();
const schema = schemaOf(model);
const { world, tests } = await readStoreFile();
const SEEDS = [1, 2, 3];

test('every assertion of store.fga.yaml holds in the evaluator', () => {
  for (const { tuples, checks, objects, users } of tests) {
    const evaluator = createEvaluator(schema, [...world, ...tuples]);

    for (const { expected, ...question } of checks) {
      const answer = evaluator.check(question.user, question.relation, question.object);
      expect({ ...question, answer }).toEqual({ ...question, answer: expected });
    }
    for (const { user, relation, type, expected } of objects) {
      expect(evaluator.listObjects(user, relation, type)).toEqual(expected);
    }
    for (const { object, relation, type, expected } of users) {
      expect(evaluator.listUsers(object, relation, type)).toEqual(expected);
    }
  }
});

test.each(SEEDS)(
  'evaluator and server agree on random tuples (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    const tuples = shuffledWorld(random);
    const evaluator = createEvaluator(schema, tuples);
    const evaluate = ({ user, relation, object }: Question) =>
      evaluator.check(user, relation, object);
    const drawn = Map.groupBy(randomQuestions(random, tuples, 20_000), evaluate);
    const yes = (drawn.get(true) ?? []).slice(0, 200);
    const no = (drawn.get(false) ?? []).slice(0, 300);
    const questions = [...yes, ...no];
    const store = await createServerStore(model, `random ${seed}`);
    await store.write(tuples);

    const served = await store.ask(questions);

    expect([yes.length, no.length]).toEqual([200, 300]);
    expect(questions.filter((question, index) => served[index] !== evaluate(question))).toEqual([]);

    const listed = yes.filter(({ relation }) =>
      /^(can|role)_|^(active|participant)$/.test(relation),
    );
    for (const { user, relation, object } of listed.slice(0, 5)) {
      const type = typeOf(object);
      expect(await store.listObjects(user, relation, type)).toEqual(
        evaluator.listObjects(user, relation, type),
      );
      expect(await store.listUsers(object, relation, typeOf(user))).toEqual(
        evaluator.listUsers(object, relation, typeOf(user)),
      );
    }
  },
  120_000,
);

test.each(SEEDS)(
  'the tuples of a proof suffice for its check, and the missing tuples make a failed check hold (seed %i)',
  (seed) => {
    const random = createRandom(seed);
    const tuples = shuffledWorld(random);
    const prove = createProver(schema, tuples);
    const results = randomQuestions(random, tuples, 5_000).map((question) => ({
      question,
      ...prove(question.user, question.relation, question.object),
    }));
    const holdsWith = ({ user, relation, object }: Question, evidence: readonly Tuple[]) =>
      createProver(schema, evidence)(user, relation, object).holds;
    const proofs = results.filter(({ holds }) => holds).slice(0, 50);
    const failures = results.filter((one) => !one.holds && one.tuples.length > 0).slice(0, 50);

    expect([proofs.length, failures.length]).toEqual([50, 50]);
    for (const { question, tuples: path } of proofs) {
      expect(holdsWith(question, path), tupleKey(question)).toBe(true);
    }
    for (const { question, tuples: missing } of failures) {
      expect(
        missing.filter((one) => tuples.some((tuple) => tupleKey(tuple) === tupleKey(one))),
      ).toEqual([]);
      expect(holdsWith(question, [...tuples, ...missing]), tupleKey(question)).toBe(true);
    }
  },
);

/**
 * Returns the world of store.fga.yaml without a tenth of its tuples, plus up to 500 random ones.
 */
function shuffledWorld(random: Random): Tuple[] {
  const remaining = world.filter(() => random.below(10) > 0);
  const ids = Map.groupBy(new Set(world.flatMap(({ user, object }) => [user, object])), typeOf);
  const named = (type: string) => (ids.get(type) ?? []).filter((id) => !/[#*]/.test(id));
  const places = [...schema].flatMap(([type, relations]) =>
    [...relations].map(([relation, { subjects }]) => ({ type, relation, subjects: [...subjects] })),
  );
  const open = places.filter(({ type, subjects }) => subjects.length > 0 && type !== 'everyone');
  const handWritten = open.filter(
    ({ relation }) => !/_(read|create|update|delete)$/.test(relation),
  );

  const added = Array.from({ length: 500 }, (): Tuple | null => {
    const place = random.pick(random.below(2) === 0 ? open : handWritten);
    const object = random.pickOrNull(named(place.type));
    const subject = random.pick(place.subjects);
    const user =
      subject === 'everyone#any' ? 'everyone:live#any' : random.pickOrNull(named(subject));
    return object === null || user === null ? null : { user, relation: place.relation, object };
  });

  const all = [...remaining, ...added.filter((tuple) => tuple !== null)];
  return [...new Map(all.map((tuple) => [tupleKey(tuple), tuple])).values()];
}

/** Draws distinct checks: half with any subject, half with the subject of a tuple on the object. */
function randomQuestions(random: Random, tuples: Tuple[], count: number): Question[] {
  const seats = tuples.filter(({ object }) =>
    /^(account|membership|service|team_seat):/.test(object),
  );
  const subjects = [...new Set(tuples.map(({ user }) => user))].filter((user) =>
    /^(user|api_key|connection|org_key|machine):[^*]/.test(user),
  );

  const questions = Array.from({ length: count }, () => {
    const tuple = random.pick(seats);
    const relation = random.pick([...(schema.get(typeOf(tuple.object))?.keys() ?? [])]);
    const isNear = random.below(2) === 0 && subjects.includes(tuple.user);
    const user = isNear ? tuple.user : random.pick(subjects);
    return { user, relation, object: tuple.object };
  });
  return [...new Map(questions.map((question) => [tupleKey(question), question])).values()];
}
