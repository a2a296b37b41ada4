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

/** Runs `work` while a scope is locked, so that changes of it wait until it has ended. */
export async function whileLocked<Result>(
  { env }: Pick<World, 'env'>,
  scope: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: env['DATABASE_URL']! });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM authz_scope WHERE id = $1 FOR UPDATE', [scope]);
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
): Promise<[First, Second]> {
  const { started, done } = await whileLocked(world, scope, async () => {
    // In an object, since `first` ends only when the lock is released.
    const running = { started: first() };
    await untilWaiting(world, 1);
    return { ...running, done: await second() };
  });
  return [await started, done];
}
