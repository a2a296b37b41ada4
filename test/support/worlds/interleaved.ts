import pg from 'pg';
import { expect } from 'vitest';
import type { World } from './world.ts';

/** Waits until at least `count` requests wait for a lock. */
export async function untilWaiting({ query }: Pick<World, 'query'>, count: number): Promise<void> {
  const waiting = `SELECT pid FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await expect
    .poll(async () => (await query(waiting)).length, { timeout: 5_000 })
    .toBeGreaterThanOrEqual(count);
}

/**
 * Runs `work` while a scope is locked, so that changes of it wait until it has ended; with a share
 * lock, only those that lock it alone.
 */
export async function whileLocked<Result>(
  { env }: Pick<World, 'env'>,
  scope: string,
  work: () => Promise<Result>,
  strength: 'UPDATE' | 'SHARE' = 'UPDATE',
): Promise<Result> {
  const client = new pg.Client({ connectionString: env['DATABASE_URL']! });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SELECT FROM authz_scope WHERE id = $1 FOR ${strength}`, [scope]);
    return await work();
  } finally {
    await client.end();
  }
}

/** Runs `first` up to the lock on a scope, then all of `second`, then the rest of `first`. */
export async function interleaved<First, Second>(
  world: Pick<World, 'env' | 'query'>,
  scope: string,
  first: () => Promise<First>,
  second: () => Promise<Second>,
  strength: 'UPDATE' | 'SHARE' = 'UPDATE',
): Promise<[First, Second]> {
  const work = async () => {
    // In an object, since `first` ends only when the lock is released.
    const running = { started: first() };
    await untilWaiting(world, 1);
    return { ...running, done: await second() };
  };
  const { started, done } = await whileLocked(world, scope, work, strength);
  return [await started, done];
}
