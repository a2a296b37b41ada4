import { expect, test } from 'vitest';
import { loadModel } from '../../src/authz/engine/model.ts';
import { permissions } from '../../src/authz/permissions.ts';
import { createEvaluator, schemaOf } from './evaluator.ts';
import type { Schema } from './evaluator.ts';
import { mutantsOf } from './mutants.ts';
import { readStoreFile } from './store-file.ts';

const schema = schemaOf(await loadModel());
const { world, tests } = await readStoreFile();
const permissionNames = new Set<string>(
  Object.values(permissions).flatMap((context) => context.map(({ relation }) => relation)),
);

test('a fault in any handwritten relation makes a test of store.fga.yaml fail', () => {
  const mutants = mutantsOf(schema).filter(({ relation }) => !isGeneratedPerPermission(relation));

  const survivors = mutants.filter((mutant) => !isDetected(mutant.schema));

  expect(mutants.length).toBeGreaterThan(200);
  expect(survivors.map(({ name }) => name)).toEqual([]);
});

test('the unchanged model fails no test', () => {
  expect(isDetected(schema)).toBe(false);
});

function isDetected(faulty: Schema): boolean {
  return tests.some(({ tuples, checks, objects, users }) => {
    const evaluator = createEvaluator(faulty, [...world, ...tuples]);
    const differs = (found: string[], expected: string[]) => found.join() !== expected.join();
    return (
      checks.some(
        ({ user, relation, object, expected }) =>
          evaluator.check(user, relation, object) !== expected,
      ) ||
      objects.some(({ user, relation, type, expected }) =>
        differs(evaluator.listObjects(user, relation, type), expected),
      ) ||
      users.some(({ object, relation, type, expected }) =>
        differs(evaluator.listUsers(object, relation, type), expected),
      )
    );
  });
}

function isGeneratedPerPermission(relation: string): boolean {
  return permissionNames.has(relation.replace(/^(can|carried|team_carried)_/, ''));
}
