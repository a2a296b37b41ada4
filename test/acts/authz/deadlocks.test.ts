import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createChanges } from '../../../src/authz/change.ts';
import { createProjections } from '../../../src/authz/projections.ts';
import { lockScope, readScopes } from '../../../src/authz/store.ts';
import type { ScopeKind } from '../../../src/caller/scope.ts';
import { createDatabase, sql } from '../../../src/platform/postgres/database.ts';
import { newId } from '../../../src/platform/ids.ts';
import { actor } from '../../support/worlds/authority.ts';
import { createDeployment } from '../../support/servers/deployment.ts';

const EDITS = 8_500;
const CHANGES = 1_500;
const IN_FLIGHT = 8;
const kinds: ScopeKind[] = ['account', 'account', 'membership', 'service', 'organization'];

/** Some of a list in any order. */
const some = <T>(list: readonly T[], min: number, max: number): T[] =>
  list
    .map((one) => [Math.random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .slice(0, min + Math.floor(Math.random() * (max - min + 1)))
    .map(([, one]) => one);

test('ten thousand racing changes of overlapping scopes meet no deadlock', async () => {
  const { databaseUrl } = await createDeployment();
  const database = await createDatabase({
    url: databaseUrl,
    poolSize: IN_FLIGHT,
    onIdleError: () => {},
  });
  onTestFinished(database.close);
  const scopes = kinds.map((kind) => ({ kind, id: newId() }));
  await database.transaction(async (transaction) => {
    for (const scope of scopes) await lockScope(transaction, scope);
  });
  const states = await readScopes(database.pool, scopes);
  // One instance each, as so many gateways: nobody waits for a turn, the locks alone decide.
  const instances = Array.from({ length: IN_FLIGHT }, () =>
    createChanges({
      database,
      projections: createProjections([]),
      audit: async () => {},
      model_id: 'any',
      applied: async () => {},
    }),
  );
  const wanted = { actor, reason: 'key.update' as const, work: async () => {} };
  const [first, ...rest] = states;
  let made = 0;
  const race = (count: number, one: (index: number) => Promise<unknown>) =>
    Promise.all(
      Array.from({ length: IN_FLIGHT }, async (_, index) => {
        for (let next = index; next < count; next += IN_FLIGHT) {
          await one(index);
          made += 1;
        }
      }),
    );

  await race(EDITS, (index) => {
    const [write = first!, ...basis] = some(states, 2, 3);
    const writes = [write, ...(Math.random() < 0.3 ? some(rest, 1, 1) : [])] as const;
    return instances[index]!.editContent({ ...wanted, writes, basis });
  });
  await race(CHANGES, (index) => {
    const [write = first!, ...more] = some(states, 2, 2);
    const writes = [write, ...more] as const;
    return instances[index]!.change({ ...wanted, writes, objects: [], targets: [], basis: null });
  });

  // The statistics of a backend are told to the others within a second.
  await setTimeout(1_200);
  const deadlocks = await database.pool.oneFirst(sql.type(z.object({ deadlocks: z.number() }))`
    SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`);
  expect([made, deadlocks]).toEqual([EDITS + CHANGES, 0]);
}, 120_000);
