import type { Queryable } from '../../platform/postgres/database.ts';
import { deleteEntries } from './entries-store.ts';
import { deleteReviewRow, findAnyReview } from './store.ts';

/** Deletes a review with its entries. */
export async function deleteReview(db: Queryable, id: string): Promise<void> {
  await deleteEntries(db, id);
  await deleteReviewRow(db, id);
}

/** Deletes a review of a deleted organization; returns false if none are left. */
export async function removeReviews(db: Queryable, organization_id: string): Promise<boolean> {
  const review = await findAnyReview(db, organization_id);
  if (review !== null) await deleteReview(db, review.id);
  return review !== null;
}
