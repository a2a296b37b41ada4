import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { sqlState } from './database.ts';

// The statements of live gateways queue behind a migration that waits for a lock, and time out after
// 2 s. After a few tries it waits longer than `deadlock_timeout` (1 s), when PostgreSQL ends a vacuum
// that is in the way.
const WAIT_MS = 500;
const LONG_WAIT_MS = 1_500;
const SHORT_TRIES = 3;
const PAUSE_MS = 500;

// 55P03 lock not available, 40P01 deadlock: the transaction was rolled back.
const MET_A_LOCK = new Set(['55P03', '40P01']);

/** Thrown if others kept a lock for the whole time. */
export class StillLocked extends Error {}

/**
 * Runs `work` in a transaction that gives way if it meets a lock: it waits briefly, rolls back and
 * tries again. Throws `StillLocked` once that has gone on for `patienceMs`. The work may commit and
 * begin another transaction, if it can be repeated.
 */
export async function giveWay(
  client: pg.Client,
  patienceMs: number,
  work: () => Promise<void>,
): Promise<void> {
  const until = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    const wait = attempt <= SHORT_TRIES ? WAIT_MS : LONG_WAIT_MS;
    try {
      // Of the session, so that it also applies to a transaction that the work begins.
      await client.query(`SET lock_timeout = ${wait}`);
      await client.query('BEGIN');
      await work();
      return void (await client.query('COMMIT'));
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      if (!MET_A_LOCK.has(sqlState(error) ?? '')) throw error;
      if (performance.now() > until) throw new StillLocked(undefined, { cause: error });
    }
    await setTimeout(PAUSE_MS + Math.random() * PAUSE_MS);
  }
}
