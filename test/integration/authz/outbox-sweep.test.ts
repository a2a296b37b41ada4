import { expect, test } from 'vitest';
import { z } from 'zod';
import { sweepOutbox } from '../../../src/authz/changes/worker.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { driftOf } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { authority, revokeRefused } = await useAuthority();

const rowsOf = (account: string) =>
  authority.database.pool.anyFirst(sql.type(z.object({ seq: z.number() }))`
    SELECT seq FROM authz_outbox WHERE id = ${account} ORDER BY seq`);

test('the sweep deletes old applied parts, but not those that fences and the store watch need', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const stuck = await authority.addAccount();
  await revokeRefused(stuck, await authority.addKey(stuck));
  const recent = await authority.addAccount();
  await authority.addKey(recent);
  await authority.database.pool.query(sql.unsafe`
    UPDATE authz_outbox SET applied_at = applied_at - '91 days'::interval,
      superseded_at = superseded_at - '91 days'::interval
    WHERE applied_at IS NOT NULL AND id <> ${recent}`);

  await sweepOutbox(authority.database.pool);

  expect(await rowsOf(account)).toEqual([2]);
  expect(await rowsOf(stuck)).toEqual([2, 3]);
  expect(await rowsOf(recent)).toEqual([1, 2]);
  await authority.authz.requireStore();
  await authority.removeKey(account, key);
  const { connected } = await authority.authz.context(await authority.caller(account, key));
  expect(connected).toBe(false);
  await driftOf(authority, { repair: true });
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

test('a sweep does not read the last parts of dormant scopes', async () => {
  const { pool } = authority.database;
  await pool.query(sql.unsafe`
    WITH dormant AS (
      INSERT INTO authz_scope (kind, id, revision, applied, position)
      SELECT 'account', gen_random_uuid(), 1, 1, 1 FROM generate_series(1, 5000) RETURNING kind, id
    )
    INSERT INTO authz_outbox (kind, id, seq, part, position, fence, last_part, deletes, writes,
      actor, reason, model_id, applied_at)
    SELECT kind, id, 1, 0, 1, '1.' || id, true, '[]', '[]', '{}', 'account.verify', '',
      now() - '91 days'::interval FROM dormant`);
  await pool.query(sql.unsafe`ANALYZE authz_outbox`);
  const plans: unknown[] = [];
  const explainingPool = {
    ...pool,
    async query(statement: Parameters<typeof pool.query>[0]) {
      const { rows } = await pool.query(sql.unsafe`EXPLAIN (FORMAT JSON) ${statement}`);
      plans.push(rows);
      return pool.query(statement);
    },
  } as typeof pool;

  await sweepOutbox(explainingPool);

  expect(plans).toHaveLength(1);
  expect(JSON.stringify(plans)).toContain('authz_outbox_superseded');
  expect(JSON.stringify(plans)).not.toContain('authz_outbox_applied');
});
