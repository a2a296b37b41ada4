import { expect, test } from 'vitest';
import { z } from 'zod';
import { lockScope, raiseRevision } from '../../../src/authz/changes/store.ts';
import type { Projections } from '../../../src/authz/changes/projections.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { actor, createAuthority, driftOf } from '../../support/worlds/authority.ts';
import type { Authority } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { deployment, authority, revokeRefused } = await useAuthority();

const unavailable = { kind: 'unavailable' };
const decide = async (decider: Authority, account: string, key: string) =>
  decider.authz.context(await decider.caller(account, key));
const invalidTuple = (account: string) => ({
  user: 'org_role:owner',
  relation: 'relation_the_model_lacks',
  object: `account:${account}`,
});

/** Revokes a key with a change that OpenFGA rejects as invalid: the model lacks the relation. */
async function revokeInvalidly(account: string, key: string): Promise<void> {
  const scope = { kind: 'account', id: account } as const;
  await authority.database.transaction(async (transaction) => {
    const locked = await lockScope(transaction, scope);
    const slice = { object: `account:${account}`, subject: `api_key:${key}` };
    const projected = await authority.projections.project(transaction, [slice]);
    const deletes = [...(projected.get(`account:${account}`) ?? [])];
    await transaction.query(sql.unsafe`DELETE FROM test_key WHERE id = ${key}`);
    const parts = [{ deletes, writes: [invalidTuple(account)] }];
    await raiseRevision(transaction, locked, parts, {
      ...{ actor, reason: 'key.revoke', model_id: authority.engine.modelId },
    });
  });
  await expect(decide(authority, account, key)).rejects.toMatchObject(unavailable);
}

const repair = async (target: Authority, account: string) => {
  const found = await driftOf(target, { repair: true });
  return found.find(({ scope }) => scope === `account:${account}`)?.repaired;
};

const OutboxRow = z.object({ reason: z.string(), applied: z.boolean(), given_up: z.boolean() });
const outboxOf = (account: string) =>
  authority.database.pool.any(sql.type(OutboxRow)`
    SELECT reason, applied_at IS NOT NULL AS applied, given_up_at IS NOT NULL AS given_up
    FROM authz_outbox WHERE id = ${account} ORDER BY position DESC LIMIT 2`);

test('a repair reopens a scope whose change OpenFGA rejects as invalid, and keeps the change in the outbox', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const kept = await authority.addKey(account);
  await revokeInvalidly(account, key);

  const repaired = await repair(authority, account);

  expect(repaired).toBe(true);
  const answers = [
    await decide(authority, account, key),
    await decide(authority, account, kept),
    await decide(authority, account, await authority.addKey(account)),
  ];
  expect(answers.map(({ connected }) => connected)).toEqual([false, true, true]);
  expect((await authority.authz.backlog()).stuck).toBe(0);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
  const { rows } = await authority.database.pool.query(sql.unsafe`
    SELECT reason, applied_at, writes FROM authz_outbox WHERE given_up_at IS NOT NULL`);
  expect(rows).toEqual([
    { reason: 'key.revoke', applied_at: null, writes: [invalidTuple(account)] },
  ]);
});

test('while the rows themselves project to an invalid tuple, their scope stays closed', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const kept = await authority.addKey(account);
  await revokeInvalidly(account, key);
  const project: Projections['project'] = async (connection, slices) => {
    const projected = new Map(await authority.projections.project(connection, slices));
    const name = `account:${account}`;
    const tuples = projected.get(name);
    return tuples ? projected.set(name, [...tuples, invalidTuple(account)]) : projected;
  };
  const projections = { ...authority.projections, project };

  const first = await repair({ ...authority, projections }, account);

  expect(first).toBe(false);
  await expect(decide(authority, account, key)).rejects.toMatchObject(unavailable);
  expect(await repair(authority, account)).toBe(true);
  const answers = [await decide(authority, account, key), await decide(authority, account, kept)];
  expect(answers.map(({ connected }) => connected)).toEqual([false, true]);
});

test('while a scope is being repaired, every check respects the refused change', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  await revokeRefused(account, key);
  const outcomes: unknown[] = [];
  const repairer = await createAuthority(deployment, {
    wrap: (engine) => ({
      ...engine,
      async write(delta) {
        const outcome = await engine.write(delta);
        // After each Write of the repair, another gateway checks the key and applies changes.
        outcomes.push(
          await decide(authority, account, key).then(
            ({ connected }) => connected,
            (error: { kind: unknown }) => error.kind,
          ),
        );
        return outcome;
      },
    }),
  });

  await repair(repairer, account);

  await repairer.close();
  expect(outcomes).not.toContain(true);
  expect((await decide(authority, account, key)).connected).toBe(false);
});

test('a pending change is neither reported as drift nor given up', async () => {
  const account = await authority.addAccount();
  const silent = await createAuthority(deployment, {
    wrap: (engine) => ({
      ...engine,
      write: () => Promise.reject(new Error('OpenFGA is unreachable')),
    }),
  });
  const key = await silent.addKey(account);

  const found = await repair(silent, account);

  await silent.close();
  expect(found).toBeUndefined();
  expect((await decide(authority, account, key)).connected).toBe(true);
  expect(await outboxOf(account)).toEqual(
    ['key.create', 'account.verify'].map((reason) => ({ reason, applied: true, given_up: false })),
  );
});
