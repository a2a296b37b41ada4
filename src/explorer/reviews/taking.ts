import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authz } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import type { Progress } from '../../caller/progress.ts';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { insertEntries, insertParts, partsOf } from './entries-store.ts';
import { createSnapshots } from './snapshot.ts';
import type { Snapshot, SnapshotDependencies } from './snapshot.ts';
import { beginReview, giveUpReview, openReview } from './store.ts';
import type { NewReview } from './store.ts';

export interface TakingDependencies extends SnapshotDependencies {
  authz: Pick<Authz, 'edit'>;
}

/** Takes a review; returns false if there is one of this night, or no organization. */
export type TakeReview = ReturnType<typeof createTaking>;

// A snapshot reads everything that an organization has.
const AT_ONCE = { maxConcurrent: 1, maxQueued: 10, waitMs: 50_000 };
const ROWS_AT_ONCE = 500;
const PARTS_AT_ONCE = 100;
const SAVE_ATTEMPTS = 3;

/** Creates the function that takes a review, for a caller or by itself. */
export function createTaking({ database: { pool }, authz, begin }: TakingDependencies) {
  const takeSnapshot = createSnapshots({ database: { pool }, begin });
  const admit = createSemaphore(AT_ONCE);

  /** Stores the entries of a running review, which nobody sees. */
  async function store(
    { id: review_id, organization_id }: NewReview,
    { entries }: Snapshot,
    signal: AbortSignal,
  ): Promise<void> {
    const target = { review_id, organization_id };
    const { parts, of } = partsOf(entries);
    for (const some of slices(parts, PARTS_AT_ONCE)) {
      signal.throwIfAborted();
      await insertParts(pool, target, some);
    }
    const placed = entries.map((entry, position) => ({
      ...{ ...entry, position },
      ...{ held_part: of[position]!.held, items_part: of[position]!.items },
    }));
    for (const some of slices(placed, ROWS_AT_ONCE)) {
      signal.throwIfAborted();
      await insertEntries(pool, target, some);
    }
  }

  /** Shows a stored review, if it still may be taken. */
  const show = (
    { id, organization_id, night }: NewReview,
    { entries, model_id }: Snapshot,
    authority: Authority,
    save: (transaction: Transaction) => Promise<unknown>,
  ) =>
    authz.edit({
      ...authority,
      reason: 'access_review.create',
      writes: [{ kind: 'organization', id: organization_id }],
      targets: [{ type: 'access_review', id }],
      async work(transaction) {
        const flagged = entries.filter(({ flags }) => flags.length > 0).length;
        const counts = { entries: entries.length, flagged, model_id };
        if (!(await openReview(transaction, id, counts))) throw absent('deleted concurrently');
        await save(transaction);
      },
      detail: () => ({ entries: entries.length, nightly: night !== null }),
    });

  /** Takes a review; whatever fails or is cancelled leaves nothing. */
  return async function take(
    review: NewReview,
    progress: Pick<Progress, 'report' | 'signal'>,
    authorize: () => Promise<Authority>,
    save: (transaction: Transaction) => Promise<unknown> = async () => {},
  ): Promise<boolean> {
    if (!(await beginReview(pool, review))) return false;
    try {
      const snapshot = await admit(() => takeSnapshot(review.organization_id, progress));
      await store(review, snapshot, progress.signal);
      await retried(async () => show(review, snapshot, await authorize(), save));
      return true;
    } catch (error) {
      await giveUpReview(pool, review.id);
      throw error;
    }
  };
}

function* slices<Entry>(all: readonly Entry[], size: number) {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** Saves again what another change came before: the snapshot must not be taken again for that. */
async function retried<T>(save: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await save();
    } catch (error) {
      if (!(error instanceof ConcurrentUpdate) || attempt === SAVE_ATTEMPTS) throw error;
    }
}
