import { beforeAll, describe, expect, test } from 'vitest';
import { loadModel } from '../../src/authz/engine/model.ts';
import { schemaOf } from './evaluator.ts';
import type { ModelShape } from './evaluator.ts';
import { createServerStore } from './server-store.ts';
import type { ServerStore } from './server-store.ts';
import { readStoreFile } from './store-file.ts';

const { world, tests } = await readStoreFile();
const model = await loadModel();
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

  test('every test has an assertion, and names are unique', () => {
    const empty = tests.filter(
      ({ checks, objects, users }) => checks.length + objects.length + users.length === 0,
    );

    expect(empty).toEqual([]);
    expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length);
    expect(tests.flatMap(({ checks }) => checks).length).toBeGreaterThan(1_100);
  });
});

test('the server returns the model as written', async () => {
  // The server adds empty strings, which have no effect.
  const normalized = (one: ModelShape) =>
    schemaOf(JSON.parse(JSON.stringify(one, (_key, part) => (part === '' ? undefined : part))));

  expect(normalized(await store.readModel())).toEqual(normalized(model));
});
