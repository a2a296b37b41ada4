import type { Queryable } from '../../platform/postgres/database.ts';
import type { Engine, WriteOutcome } from '../engine/client.ts';
import type { Delta } from '../tuple.ts';
import { forgetUnfenced, recordUnfenced } from './store.ts';

/**
 * Performs a Write that is not a part of the outbox, and records it first, so that it is not taken for a
 * foreign one.
 */
export async function writeUnfenced(
  db: Queryable,
  engine: Pick<Engine, 'write'>,
  delta: Delta,
): Promise<WriteOutcome> {
  const id = await recordUnfenced(db, delta);
  const outcome = await engine.write(delta);
  if (outcome === 'refused' || outcome === 'invalid') await forgetUnfenced(db, [id]);
  return outcome;
}
