import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createAppliers } from '../../../src/authz/changes/apply.ts';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import { createChanges } from '../../../src/authz/changes/change.ts';
import { createCatchUp } from '../../../src/authz/changes/catch-up.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import type { Tuple } from '../../../src/authz/tuple.ts';
import { scopeName } from '../../../src/caller/scope.ts';
import type { ScopeRef } from '../../../src/caller/scope.ts';
import { isRefusal } from '../../../src/platform/errors/refusal.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import type { Transaction } from '../../../src/platform/postgres/database.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { actor, createAuthority, driftOf } from '../../support/worlds/authority.ts';
import type { Authority } from '../../support/worlds/authority.ts';
import {
  addFact,
  createOrganizations,
  createOrganizationTables,
  organizationProjections as register,
  removeFact,
} from '../../support/worlds/organization-rows.ts';

const CHANGES = 10_000;
/** Share of changes that also change tuples; the others change only rows, which is much faster. */
const WITH_TUPLES = 0.05;
/** Share of changes with a basis, which may fail with ConcurrentUpdate; all others must succeed. */
const WITH_BASIS = 0.05;
const IN_FLIGHT = 8;

/** A scope, and a tuple of it that changes add and remove in turn. */
interface ToggledScope {
  scope: ScopeRef;
  tuple: Tuple;
}

const CountRow = z.object({ scope: z.string(), count: z.number() });

/** Returns between min and max random elements in random order. */
const sample = <T>(list: readonly T[], min: number, max: number): T[] =>
  list
    .map((element) => [Math.random(), element] as const)
    .toSorted(([a], [b]) => a - b)
    .slice(0, min + Math.floor(Math.random() * (max - min + 1)))
    .map(([, element]) => element);

/** Creates an organization with two members and a service, and returns their scopes. */
async function createToggledScopes(authority: Authority): Promise<ToggledScope[]> {
  const organizations = createOrganizations(authority);
  const { organization, members } = await organizations.createWithTwoMembers();
  const toggled = members.flatMap(({ account: id, scope, object }): ToggledScope[] => {
    const key = { user: `api_key:${newId()}`, relation: 'runs_here', object: `account:${id}` };
    const role = { user: 'org_role:admin', relation: 'role', object };
    return [
      { scope: { kind: 'account', id }, tuple: key },
      { scope, tuple: role },
    ];
  });
  const id = await organizations.addService(organization);
  const object = `service:${organization.id}.${id}`;
  const declared = { user: `org_key:${id}`, relation: 'declared_agents', object };
  toggled.push({ scope: { kind: 'service', id }, tuple: declared });
  const role = `org_role:${organization.role}`;
  const flag = { user: 'everyone:live#any', relation: 'mcp_agents', object: role };
  toggled.push({ scope: organization.scope, tuple: flag });
  return toggled;
}

async function toggle(transaction: Transaction, { scope, tuple }: ToggledScope): Promise<void> {
  const { user, relation, object } = tuple;
  if (scope.kind !== 'account') {
    if (!(await removeFact(transaction, tuple))) await addFact(transaction, user, relation, object);
    return;
  }
  const key = user.split(':')[1]!;
  const { rowCount } = await transaction.query(sql.unsafe`DELETE FROM test_key WHERE id = ${key}`);
  if (rowCount === 0)
    await transaction.query(sql.unsafe`INSERT INTO test_key VALUES (${key}, ${scope.id})`);
}

test('ten thousand concurrent changes of overlapping scopes cause no deadlock', async () => {
  const authority = await createAuthority(await createDeployment(), { register });
  onTestFinished(authority.close);
  const { database, engine, projections } = authority;
  await createOrganizationTables(database);
  await database.pool.query(sql.unsafe`CREATE TABLE test_count (scope text, count int)`);
  const toggled = await createToggledScopes(authority);
  const scopes = toggled.map(({ scope }) => scope);
  for (const scope of scopes)
    await database.pool.query(sql.unsafe`INSERT INTO test_count VALUES (${scopeName(scope)}, 0)`);
  const appliers = createAppliers({ database, engine, log: createLog('silent') });
  // Each loop has its own instance, like separate gateways: only row locks order the changes.
  const instances = Array.from({ length: IN_FLIGHT }, () =>
    createChanges({
      ...{ database, projections, audit: async () => {}, model_id: engine.modelId },
      catchUp: createCatchUp({ database, appliers, engine: authority.engine }),
      async applyWritten(changed) {
        for (const scope of changed) await appliers.apply(scope, 1_000);
      },
    }),
  );
  const written = new Map<string, number>(scopes.map((scope) => [scopeName(scope), 0]));

  let left = CHANGES;

  async function changeSome({ change, editContent }: (typeof instances)[number]): Promise<void> {
    const writes = sample(toggled, 1, 3);
    const [first, ...rest] = writes.map(({ scope }) => scope);
    const read = sample(scopes, 1, 3);
    const fields = {
      ...{ actor, reason: 'key.update' as const, targets: [], writes: [first!, ...rest] as const },
      basis: Math.random() < WITH_BASIS ? await readScopes(database.pool, read) : null,
      async work(transaction: Transaction) {
        const names = writes.map(({ scope }) => scopeName(scope));
        await transaction.query(sql.unsafe`
          UPDATE test_count SET count = count + 1
          WHERE scope = ANY(${sql.array(names, 'text')})`);
      },
    };
    const movesTuples = Math.random() < WITH_TUPLES;
    try {
      if (movesTuples)
        await change({
          ...fields,
          objects: writes.map(({ tuple }) => ({ object: tuple.object, subject: tuple.user })),
          async work(transaction) {
            await fields.work(transaction);
            for (const write of writes) await toggle(transaction, write);
          },
        });
      else await editContent(fields);
      for (const { scope } of writes)
        written.set(scopeName(scope), written.get(scopeName(scope))! + 1);
    } catch (error) {
      // A stale basis, or pending changes that were not applied in time: the change was rolled back.
      const isClosed = isRefusal(error) && error.kind === 'unavailable';
      if (fields.basis !== null && (error instanceof ConcurrentUpdate || isClosed)) return;
      left = 0;
      throw error;
    }
  }
  const races = await Promise.allSettled(
    instances.map(async (instance) => {
      while ((left -= 1) >= 0) await changeSome(instance);
    }),
  );

  // PostgreSQL backends publish their statistics within a second.
  await setTimeout(1_200);
  const deadlocks = await database.pool.oneFirst(sql.type(z.object({ deadlocks: z.number() }))`
    SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`);
  const errors = races.flatMap((race) => (race.status === 'rejected' ? [race.reason] : []));
  expect({ deadlocks, errors }).toEqual({ deadlocks: 0, errors: [] });

  const applied = await Promise.all(scopes.map((scope) => appliers.apply(scope, 60_000)));
  expect(applied).toEqual(scopes.map(() => true));
  expect(await driftOf(authority, { repair: false })).toEqual([]);
  const counts = await database.pool.any(sql.type(CountRow)`SELECT scope, count FROM test_count`);
  expect(new Map(counts.map(({ scope, count }) => [scope, count]))).toEqual(written);
}, 180_000);
