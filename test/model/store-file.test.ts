import { beforeAll, describe, expect, test } from 'vitest';
import { hashModel, loadModel } from '../../src/authz/model.ts';
import { createServerStore } from './server-store.ts';
import type { ServerStore } from './server-store.ts';
import { readStoreFile } from './store-file.ts';

const { world, tests } = await readStoreFile();
const { model, hash } = await loadModel();
let store: ServerStore;

beforeAll(async () => {
  store = await createServerStore(model, 'store file');
  await store.write(world);
});

describe('store.fga.yaml on the server', () => {
  test.each(tests)('$name', async ({ tuples, checks, objects, users }) => {
    await store.write(tuples);

    const answers = await store.ask(
      checks.map(({ user, relation, object }) => ({ user, relation, object })),
    );
    expect(checks.map((check, index) => ({ ...check, expected: answers[index] }))).toEqual(checks);
    for (const { user, relation, type, expected } of objects) {
      expect(await store.listObjects(user, relation, type)).toEqual(expected);
    }
    for (const { object, relation, type, expected } of users) {
      expect(await store.listUsers(object, relation, type)).toEqual(expected);
    }

    await store.remove(tuples);
  });

  test('no test is without an assertion, and no two have one name', () => {
    const empty = tests.filter(
      ({ checks, objects, users }) => checks.length + objects.length + users.length === 0,
    );

    expect(empty).toEqual([]);
    expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length);
    expect(tests.flatMap(({ checks }) => checks).length).toBeGreaterThan(1_100);
  });
});

test('the hash of a model read back from the server is that of the files', async () => {
  const readBack = await store.readModel();

  expect(hashModel(readBack)).toBe(hash);
});

test('the hash moves with an operand, a subject type and a relation', () => {
  const changes: ((copy: typeof model) => unknown)[] = [
    (copy) => relationsOf(copy, 'team_seat')['active']?.intersection?.child.pop(),
    (copy) => subjectsOf(copy, 'account', 'principal')?.pop(),
    (copy) => delete relationsOf(copy, 'service')['can_see'],
  ];

  const hashes = changes.map((change) => {
    const copy = structuredClone(model);
    change(copy);
    return hashModel(copy);
  });

  expect(new Set([hash, ...hashes]).size).toBe(changes.length + 1);
});

function relationsOf(copy: typeof model, type: string) {
  return copy.type_definitions.find((definition) => definition.type === type)?.relations ?? {};
}

function subjectsOf(copy: typeof model, type: string, relation: string) {
  const definition = copy.type_definitions.find((one) => one.type === type);
  return definition?.metadata?.relations?.[relation]?.directly_related_user_types;
}
