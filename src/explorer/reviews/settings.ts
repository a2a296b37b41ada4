import type { Authz } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import type { Database, Queryable } from '../../platform/postgres/database.ts';
import type { ReviewSettings } from './schema.ts';
import { findReviewSettings, saveReviewSettings } from './store.ts';

const DEFAULT: ReviewSettings = { nightly: false, keep: 30 };

/** Reads and replaces the settings of nightly reviews. */
export function createReviewSettings({
  database: { pool },
  authz,
}: {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit'>;
}) {
  const read = async (db: Queryable, organization_id: string): Promise<ReviewSettings> =>
    (await findReviewSettings(db, organization_id)) ?? DEFAULT;

  return {
    get: (organization_id: string) => read(pool, organization_id),
    async replace(
      organization_id: string,
      after: ReviewSettings,
      authority: Authority,
    ): Promise<ReviewSettings> {
      await authz.edit({
        ...authority,
        reason: 'access_review_settings.update',
        writes: [{ kind: 'organization', id: organization_id }],
        targets: [{ type: 'organization', id: organization_id }],
        async work(transaction) {
          const before = await read(transaction, organization_id);
          await saveReviewSettings(transaction, organization_id, after);
          return before;
        },
        detail: (before) => ({ before, after }),
      });
      return after;
    },
  };
}
export type ReviewSettingsPart = ReturnType<typeof createReviewSettings>;
