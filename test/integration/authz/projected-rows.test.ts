import { expect, test } from 'vitest';
import { z } from 'zod';
import { createChanges } from '../../../src/authz/changes/change.ts';
import { ONLY_IN_CHANGES } from '../../../src/authz/authz.ts';
import { listScopesAfter } from '../../../src/authz/changes/store.ts';
import { listTouched, missingFrom, RECORDER } from '../../../src/authz/changes/touched.ts';
import { tupleKey } from '../../../src/authz/tuple.ts';
import type { Slice, Tuple } from '../../../src/authz/tuple.ts';
import type { ScopeRef } from '../../../src/caller/scope.ts';
import { createDatabase, sql } from '../../../src/platform/postgres/database.ts';
import type { Transaction } from '../../../src/platform/postgres/database.ts';
import { projections } from '../../../src/projection.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { actor } from '../../support/worlds/authority.ts';
import { insertProjectedWorld, touches, withIds } from './projected-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const { databaseUrl: url } = await createDeployment();
const database = await closeAfterTests(
  createDatabase({ url, setting: ONLY_IN_CHANGES, onIdleError: () => {} }),
);
const ids = await insertProjectedWorld(database);

const statementOf = (statement: string) => ({ ...sql.unsafe``, sql: withIds(statement, ids) });
const run = (transaction: Transaction, statement: string) =>
  transaction.query(statementOf(statement));

/** Runs work in a transaction that is rolled back. */
async function rolledBack<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const rollback = new Error('rolled back');
  let result: { value: T } | null = null;
  const transaction = database.transaction(async (one) => {
    result = { value: await work(one) };
    throw rollback;
  });
  await expect(transaction).rejects.toBe(rollback);
  return result!.value;
}

/** Returns the tuples that all rows are projected to, by key. */
async function projectAll(
  transaction: Transaction,
  scopes?: readonly ScopeRef[],
): Promise<Map<string, Tuple>> {
  const objects: string[] = [];
  for (const scope of scopes ?? (await listScopesAfter(transaction, null, 100)))
    objects.push(...((await projections.objectsOf(transaction, scope)) ?? []));
  const slices = objects.map((object) => ({ object }));
  const tuples = [...(await projections.project(transaction, slices)).values()].flat();
  return new Map(tuples.map((tuple) => [tupleKey(tuple), tuple]));
}

/** Touches rows, and returns what the triggers recorded and which tuples were changed. */
const touchOnce = (statement: string) =>
  rolledBack(async (transaction) => {
    const before = await projectAll(transaction);
    await transaction.query(sql.unsafe`SELECT set_config(${RECORDER}, 'recorded', true)`);
    await run(transaction, statement);
    const touched = await listTouched(transaction, projections.tables);
    const after = await projectAll(transaction);
    const changed = [...before, ...after].filter(([key]) => before.has(key) !== after.has(key));
    return { touched, changed: changed.map(([, tuple]) => tuple) };
  });

const touching = new Map<string, ReturnType<typeof touchOnce>>();
/** Does so only once for each statement. */
function touch(statement: string) {
  const known = touching.get(statement) ?? touchOnce(statement);
  touching.set(statement, known);
  return known;
}

/** The subject of a tuple in the terms of a slice: `org_role:owner`, not `org_role:owner#owns`. */
const sliceOf = ({ object, user }: Tuple): Slice => ({ object, subject: user.split('#')[0]! });

test.each(touches)(
  'the triggers record all objects of the tuples that are changed by %s',
  async (statement) => {
    const { touched, changed } = await touch(statement);

    expect(changed).not.toEqual([]);
    expect(missingFrom(touched, changed.map(sliceOf))).toEqual([]);
  },
);

const changesOf = () =>
  createChanges({
    ...{ database, projections, model_id: 'model' },
    audit: async () => {},
    catchUp: async () => {},
    applyWritten: async () => {},
  });

/** Runs the statement in a change that lists the objects, or in an edit. */
function runIn(kind: 'change' | 'edit', statement: string, objects: readonly Slice[] = []) {
  const changes = changesOf();
  const requested = {
    ...({ actor, reason: 'account.verify', basis: null, targets: [], objects } as const),
    writes: [{ kind: 'account', id: ids.mia }] as const,
    work: (transaction: Transaction) => run(transaction, statement),
  };
  return kind === 'change' ? changes.change(requested) : changes.edit(requested);
}

test.each(touches)('a change that forgets one of its objects fails: %s', async (statement) => {
  const { touched } = await touch(statement);

  for (const object of new Set(touched.map((slice) => slice.object))) {
    const others = touched.filter((slice) => slice.object !== object);
    await expect(runIn('change', statement, others)).rejects.toThrow(
      `account.verify touches rows of ${object}`,
    );
  }
});

test.each(touches)('nothing but a change may touch projected rows: %s', async (statement) => {
  const refusal = /only a change of authority may touch them/;

  await expect(database.pool.query(statementOf(statement))).rejects.toThrow(refusal);
  await expect(runIn('edit', statement)).rejects.toThrow(refusal);
});

test('an edit may touch columns of these tables that no tuple depends on', async () => {
  const edited = runIn('edit', 'UPDATE api_key SET last_used_at = now(), name = id::text');

  await expect(edited).resolves.toMatchObject({ rowCount: 5 });
});

test('a sweep may delete credentials that are revoked, with their bindings', async () => {
  const left = await rolledBack(async (transaction) => {
    await transaction.query(sql.unsafe`SELECT set_config(${RECORDER}, 'recorded', true)`);
    for (const table of ['api_key', 'oauth_connection'])
      await run(transaction, `UPDATE ${table} SET revoked_at = now()`);
    await transaction.query(sql.unsafe`SELECT set_config(${RECORDER}, 'refused', true)`);
    for (const table of ['api_key', 'oauth_connection'])
      await run(transaction, `DELETE FROM ${table}`);
    return transaction.any(sql.unsafe`
      SELECT key_id FROM api_key_team UNION ALL SELECT connection_id FROM oauth_connection_team`);
  });
  expect(left).toEqual([]);
});

const TriggerRow = z.object({ table: z.string(), columns: z.array(z.string()) });

test('the triggers watch every column that the projections read', async () => {
  const scopes = await listScopesAfter(database.pool, null, 100);
  const watched = await database.pool.any(sql.type(TriggerRow)`
    SELECT tgrelid::regclass::text AS table, (
      SELECT json_agg(quote_ident(attname)) FROM pg_attribute
      WHERE attrelid = tgrelid AND attnum = ANY(tgattr::int2[])) AS columns
    FROM pg_trigger WHERE tgname = 'projected_row_update'`);

  const projected = await rolledBack(async (transaction) => {
    await run(transaction, 'CREATE ROLE projection');
    for (const { table, columns } of watched)
      await run(transaction, `GRANT SELECT (${columns.join(', ')}) ON ${table} TO projection`);
    await run(transaction, 'SET LOCAL ROLE projection');
    return projectAll(transaction, scopes);
  });

  expect(projected).toEqual(await rolledBack(projectAll));
});
