import type { Authz } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { absent, conflict } from '../../platform/errors/refusal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { findEntry, saveDecision } from './entries-store.ts';
import type { EntryRow } from './entries-store.ts';
import { recordOf } from './record.ts';
import type { DecisionEdit, EntryParams, Review, ReviewEntry, ReviewParams } from './schema.ts';
import { closeReview, lockReview } from './store.ts';

interface ChangesDependencies {
  pool: Queryable;
  authz: Pick<Authz, 'edit'>;
  get(params: ReviewParams): Promise<Review>;
  requireEntry(params: EntryParams): Promise<EntryRow>;
}

/** Creates what changes a review after it was taken: decisions, and its end. */
export function createChanges({ pool, authz, get, requireEntry }: ChangesDependencies) {
  return {
    /** Closes a review: its decisions stay as they are. */
    async close(params: ReviewParams, authority: Authority): Promise<Review> {
      const before = await get(params);
      if (before.status === 'closed') return before;
      await authz.edit({
        ...authority,
        reason: 'access_review.update',
        writes: [{ kind: 'organization', id: params.organization_id }],
        targets: [{ type: 'access_review', id: params.review_id }],
        async work(transaction) {
          if (!(await closeReview(transaction, params))) throw notOpen();
        },
        detail: () => ({ before: { status: before.status }, after: { status: 'closed' } }),
      });
      return get(params);
    },
    /** Decides about an entry of an open review. */
    async decide(
      params: EntryParams,
      { decision, comment }: DecisionEdit,
      authority: Authority,
    ): Promise<ReviewEntry> {
      const { organization_id, review_id, entry_id } = params;
      const before = await requireEntry(params);
      await authz.edit({
        ...authority,
        reason: 'access_review.decide',
        writes: [{ kind: 'organization', id: organization_id }],
        targets: [
          { type: 'access_review', id: review_id },
          { type: 'access_review_entry', id: entry_id },
        ],
        async work(transaction) {
          const review = await lockReview(transaction, params);
          if (review === null) throw absent('deleted concurrently');
          if (review.status !== 'open') throw notOpen();
          await saveDecision(transaction, params, { decision, comment, by: authority.actor });
        },
        // The audit log is never erased, so it must not contain comments.
        detail: () => ({
          subject: { kind: before.kind, id: before.subject_id },
          before: { decision: before.decision },
          after: { decision },
        }),
      });
      return recordOf((await findEntry(pool, params)) ?? before);
    },
  };
}

const notOpen = () => conflict('review_closed', 'The review is closed. Start another one.');
