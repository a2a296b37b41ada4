import { expect, test } from 'vitest';
import { z } from 'zod';
import { readScopes } from '../../../src/authz/changes/store.ts';
import type { ScopeRef } from '../../../src/caller/scope.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { actor } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { authority } = await useAuthority();
const { authz, database } = authority;

const waitingForLocks = () =>
  database.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`);

type Writes = readonly [ScopeRef, ...ScopeRef[]];
const edit = (writes: Writes, work: () => Promise<void>) =>
  authz.editContent({ ...{ actor, reason: 'key.update', writes, basis: [] }, work });
const accounts = (count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const id = await authority.addAccount();
      return { kind: 'account', id } as const;
    }),
  );

test('changes that name the same scopes in different orders do not block each other', async () => {
  const [a, b, c] = (await accounts(3)) as [ScopeRef, ScopeRef, ScopeRef];
  const orders: Writes[] = [
    [a, b],
    [b, a],
    [b, c, a],
    [c, b],
    [a, c, b],
    [c, a],
  ];
  const writes = Array.from({ length: 60 }, (_, index) => orders[index % orders.length]!);

  const done: number[] = [];
  await Promise.all(writes.map((scopes, index) => edit(scopes, async () => void done.push(index))));

  expect(done.toSorted((one, two) => one - two)).toEqual([...writes.keys()]);
});

test('a change of many scopes is not starved by constant changes of one of them', async () => {
  const [a, b, c] = (await accounts(3)) as [ScopeRef, ScopeRef, ScopeRef];
  const done: string[] = [];
  const keepChanging = (scope: ScopeRef, left: number): Promise<unknown> =>
    edit([scope], async () => void done.push('one')).then(
      () => left > 0 && keepChanging(scope, left - 1),
    );
  // Each scope always has one change under way and another waiting.
  const others = [a, b, c, a, b, c].map((scope) => keepChanging(scope, 20));

  await edit([c, a, b], async () => void done.push('many'));
  await Promise.all(others);

  expect(done).toHaveLength(6 * 21 + 1);
  expect(done.indexOf('many')).toBeLessThan(60);
});

test('a revocation does not wait in the queue of changes', async () => {
  const [scope] = (await accounts(1)) as [ScopeRef];
  const done: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: started, resolve: begin } = Promise.withResolvers<void>();
  const first = edit([scope], async () => {
    begin();
    await released;
  });
  // The queue's capacity: one more change is refused.
  const waiting = Array.from({ length: 99 }, () =>
    edit([scope], async () => void done.push('change')),
  );
  await started;
  await expect(edit([scope], async () => {})).rejects.toMatchObject({ kind: 'unavailable' });

  const revocation = authz.change({
    ...{ actor, reason: 'key.revoke', writes: [scope], objects: [], targets: [], basis: null },
    work: async () => void done.push('revocation'),
  });
  await expect.poll(() => waitingForLocks(), { timeout: 10_000 }).toBe(1);
  release();
  await Promise.all([first, revocation, ...waiting]);

  expect(done.indexOf('revocation')).toBeLessThan(5);
  expect(await readScopes(database.pool, [scope])).toMatchObject([{ revision: 2, applied: 2 }]);
});
