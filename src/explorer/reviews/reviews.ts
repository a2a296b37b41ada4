import { actorOf, authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent, unprocessable } from '../../platform/errors/refusal.ts';
import { toPage } from '../../platform/http/pages.ts';
import type { Page, PageQuery } from '../../platform/http/pages.ts';
import { newId } from '../../platform/ids.ts';
import type { Begin } from '../dependencies.ts';
import { createApplying } from './applying/applying.ts';
import type { ApplyingDependencies } from './applying/applying.ts';
import { createDeciding } from './deciding.ts';
import { createEntries } from './entries.ts';
import type { Review, ReviewDraft, ReviewParams } from './schema.ts';
import { countReviews, findReview, listReviews } from './store.ts';
import { createTaking } from './taking.ts';
import type { ReviewProgress } from './taking.ts';

export { createReviewComparison } from './comparison.ts';
export { createNightlyReviews } from './nightly.ts';
export { createReviewSettings } from './settings.ts';
export { removeReviews } from './deletion.ts';

export interface ReviewsDependencies extends Omit<ApplyingDependencies, 'get'> {
  begin: Begin;
}

/** Who asks for a review, and who wants to know how far it is. */
export interface ReviewRequest {
  caller: Principal;
  request: RequestFacts;
  progress: ReviewProgress;
  /** Identifies and authorizes the sender again. */
  authorizeAgain(): Promise<Principal>;
}

const MAX_REVIEWS = 200;

/** Manages access reviews: snapshots of what all subjects have, and decisions about them. */
export function createReviews({ begin, ...dependencies }: ReviewsDependencies) {
  const { database, authz } = dependencies;
  const { pool } = database;
  const take = createTaking({ database: { pool }, authz, begin });

  async function get(params: ReviewParams): Promise<Review> {
    const review = await findReview(pool, params);
    if (review === null) throw absent('no such review');
    return review;
  }

  return {
    ...{ get, take },
    ...createDeciding({ database: { pool }, authz, get }),
    ...createEntries(pool, get),
    applying: createApplying({ ...dependencies, get }),
    async list(organization_id: string, { limit, cursor }: PageQuery): Promise<Page<Review>> {
      const page = { limit: limit + 1, cursor: cursor ?? null };
      return toPage(await listReviews(pool, organization_id, page), { limit });
    },
    async create(
      organization_id: string,
      { name = today() }: ReviewDraft,
      { caller, request, progress, authorizeAgain }: ReviewRequest,
    ): Promise<Review> {
      const { id } = await request.once<{ id: string }>(async (save) => {
        if ((await countReviews(pool, organization_id)) >= MAX_REVIEWS) throw tooMany();
        const created = { id: newId() };
        const actor = actorOf(caller, request);
        const review = { ...created, organization_id, name, night: null, created_by: actor };
        // It takes long: what the sender may do has perhaps changed.
        const authorize = async () => authorityOf(await authorizeAgain(), request);
        const isTaken = await take(review, progress, authorize, (transaction) =>
          save(transaction, created),
        );
        if (!isTaken) throw absent('the organization was deleted concurrently');
        return created;
      });
      return get({ organization_id, review_id: id });
    },
  };
}
export type Reviews = ReturnType<typeof createReviews>;

const today = () => new Date().toISOString().slice(0, 10);

const tooMany = () =>
  unprocessable('limit_reached', `An organization can have at most ${MAX_REVIEWS} reviews.`);
