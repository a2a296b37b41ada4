import { acceptsTuple, createProver, typeOf } from '../../src/authz/decisions/evaluator.ts';
import type { Schema } from '../../src/authz/decisions/evaluator.ts';
import type { Tuple } from '../../src/authz/tuple.ts';

export { schemaOf, typeOf } from '../../src/authz/decisions/evaluator.ts';
export type { ModelShape, Schema } from '../../src/authz/decisions/evaluator.ts';

/** Evaluates OpenFGA's checks and list queries on tuples in memory. */
export interface Evaluator {
  check(user: string, relation: string, object: string): boolean;
  listObjects(user: string, relation: string, type: string): string[];
  listUsers(object: string, relation: string, type: string): string[];
}

/** Wraps the prover of `explain` in OpenFGA's interface. */
export function createEvaluator(schema: Schema, tuples: Iterable<Tuple>): Evaluator {
  const accepted = [...tuples].filter((tuple) => acceptsTuple(schema, tuple));
  const objects = new Set(accepted.map(({ object }) => object));
  const users = new Set(accepted.map(({ user }) => user));
  const prove = createProver(schema, accepted);
  const check = (user: string, relation: string, object: string) =>
    prove(user, relation, object).holds;
  return {
    check,
    listObjects: (user, relation, type) =>
      [...objects]
        .filter((object) => typeOf(object) === type && check(user, relation, object))
        .toSorted(),
    listUsers: (object, relation, type) =>
      [...users]
        .filter((user) => typeOf(user) === type && !/[#*]/.test(user))
        .filter((user) => check(user, relation, object))
        .toSorted(),
  };
}
