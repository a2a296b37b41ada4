import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Tuple } from '../../src/authz/tuple.ts';
import type { Question } from './server-store.ts';

const tuple = z.strictObject({ user: z.string(), relation: z.string(), object: z.string() });
const checks = z.strictObject({
  user: z.string().optional(),
  users: z.array(z.string()).optional(),
  object: z.string().optional(),
  objects: z.array(z.string()).optional(),
  assertions: z.record(z.string(), z.boolean()),
});
const objectLists = z.strictObject({
  user: z.string(),
  type: z.string(),
  assertions: z.record(z.string(), z.array(z.string())),
});
const userLists = z.strictObject({
  object: z.string(),
  user_filter: z.tuple([z.strictObject({ type: z.string() })]),
  assertions: z.record(z.string(), z.strictObject({ users: z.array(z.string()) })),
});
const storeFile = z.strictObject({
  name: z.string(),
  model_file: z.literal('./fga.mod'),
  tuple_file: z.string(),
  tests: z.array(
    z.strictObject({
      name: z.string(),
      tuples: z.array(tuple).default([]),
      check: z.array(checks).default([]),
      list_objects: z.array(objectLists).default([]),
      list_users: z.array(userLists).default([]),
    }),
  ),
});

interface ListedObjects {
  user: string;
  relation: string;
  type: string;
  expected: string[];
}
interface ListedUsers {
  object: string;
  relation: string;
  type: string;
  expected: string[];
}

/** One test of `store.fga.yaml` with its assertions expanded. */
export interface StoreTest {
  name: string;
  tuples: Tuple[];
  checks: (Question & { expected: boolean })[];
  objects: ListedObjects[];
  users: ListedUsers[];
}

const directory = new URL('../../authz-model/', import.meta.url);

/** Reads the file in the format of the fga CLI; throws on keys this runner does not know. */
export async function readStoreFile(): Promise<{ world: Tuple[]; tests: StoreTest[] }> {
  const file = storeFile.parse(await readYaml('store.fga.yaml'));
  const world = z.array(tuple).parse(await readYaml(file.tuple_file));
  const tests = file.tests.map((test) => ({
    name: test.name,
    tuples: test.tuples,
    checks: test.check.flatMap(expand),
    objects: test.list_objects.flatMap(({ user, type, assertions }) =>
      Object.entries(assertions).map(([relation, expected]) => ({
        user,
        type,
        relation,
        expected: expected.toSorted(),
      })),
    ),
    users: test.list_users.flatMap(({ object, user_filter: [{ type }], assertions }) =>
      Object.entries(assertions).map(([relation, { users }]) => ({
        object,
        type,
        relation,
        expected: users.toSorted(),
      })),
    ),
  }));
  return { world, tests };
}

function expand(entry: z.infer<typeof checks>): StoreTest['checks'] {
  const users = entry.users ?? [entry.user ?? ''];
  const objects = entry.objects ?? [entry.object ?? ''];

  return users.flatMap((user) =>
    objects.flatMap((object) =>
      Object.entries(entry.assertions).map(([relation, expected]) => ({
        user,
        object,
        relation,
        expected,
      })),
    ),
  );
}

async function readYaml(name: string): Promise<unknown> {
  return parse(await readFile(new URL(name, directory), 'utf8'));
}
