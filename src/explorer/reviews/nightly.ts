import { systemActor, systemAuthority } from '../../caller/actor.ts';
import { createBackground } from '../../platform/concurrency/background.ts';
import type { Background } from '../../platform/concurrency/background.ts';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { deleteReview, listAbandoned, listDueOrganizations, listOutdated } from './store.ts';
import type { TakeReview } from './taking.ts';

interface NightlyDependencies {
  database: Pick<Database, 'pool'>;
  reviews: { take: TakeReview };
  log: Log;
}

export interface NightlyReviews extends Background {
  /** Takes the reviews that are due; runs once a minute. */
  takeDue(): Promise<void>;
}

/**
 * Takes one review a day of each organization that wants it, whichever gateway is first, and deletes
 * old ones, as well as those that a gateway began before it died.
 */
export function createNightlyReviews({
  database: { pool },
  reviews,
  log,
}: NightlyDependencies): NightlyReviews {
  const stopping = new AbortController();
  const progress = { report() {}, signal: stopping.signal };

  const logFailure = (error: unknown) => {
    if (!stopping.signal.aborted)
      log.warn({ err: error }, 'a nightly access review failed; next attempt in a minute');
  };

  async function takeOne({
    organization_id,
    night,
    keep,
  }: {
    organization_id: string;
    night: string;
    keep: number;
  }): Promise<void> {
    const review = { id: newId(), organization_id, name: night, night, created_by: systemActor };
    // The row of the night is inserted first: another gateway then finds it.
    if (!(await reviews.take(review, progress, async () => systemAuthority))) return;
    for (const { id } of await listOutdated(pool, organization_id, keep))
      await deleteReview(pool, id);
  }

  async function takeDue(): Promise<void> {
    for (const { id } of await listAbandoned(pool)) await deleteReview(pool, id);
    for (const due of await listDueOrganizations(pool)) {
      if (stopping.signal.aborted) return;
      await takeOne(due).catch(logFailure);
    }
  }

  const background = createBackground(takeDue, logFailure);
  return {
    ...background,
    takeDue,
    async stop() {
      stopping.abort();
      await background.stop();
    },
  };
}
