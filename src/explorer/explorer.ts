import type { Principal } from '../caller/principal.ts';
import { readMember } from '../organizations/organizations.ts';
import type { PageQuery } from '../platform/http/pages.ts';
import { reportPage, reportParts } from './subjects/page.ts';
import { createSemaphore } from '../platform/concurrency/semaphore.ts';
import type { RoleParams } from '../organizations/roles/schema.ts';
import type { TeamParams } from '../organizations/teams/schema.ts';
import { createSubjectAccess } from './access.ts';
import { createEvidence } from './evidence/evidence.ts';
import type { Asked, Begin, ExplorerDependencies } from './dependencies.ts';
import { createDiff } from './diff/diff.ts';
import { createExplanation } from './explanation/explanation.ts';
import { createItemUsers } from './items/users.ts';
import type { ItemRef } from './items/users.ts';
import { beginLook } from './look.ts';
import { createOwnAccess } from './own.ts';
import { createHolders } from './permissions/holders.ts';
import { requirePermission } from './permissions/named.ts';
import {
  createNightlyReviews,
  createReviewComparison,
  createReviews,
  createReviewSettings,
} from './reviews/reviews.ts';

export { removeReviews } from './reviews/reviews.ts';

// Reports share the database and OpenFGA with live calls, which must not wait for them.
const AT_ONCE = { maxConcurrent: 2, maxQueued: 50, waitMs: 8_000 };

/**
 * Answers who may do what in an organization, and why. Every answer is what enforcement would decide:
 * the same functions decide, about the principals of the same rows.
 */
export function createExplorer(dependencies: ExplorerDependencies) {
  const { database, organizations } = dependencies;
  const admit = createSemaphore(AT_ONCE);
  const begin: Begin = (organization_id) =>
    beginLook(
      { ...dependencies, findMember: (key) => readMember(database.authPool, key) },
      organization_id,
    );
  const evidenceOf = createEvidence(database);
  const parts = { ...dependencies, begin, evidenceOf };
  const access = createSubjectAccess(parts);
  const own = createOwnAccess(dependencies, access);
  const holders = createHolders(parts);
  const users = createItemUsers(parts);
  const explain = createExplanation(parts);
  const reviews = createReviews(parts);
  const nightly = createNightlyReviews({ ...dependencies, reviews });
  const diff = createDiff({
    accessOf: access.of,
    compareReviews: createReviewComparison(dependencies),
    model_id: dependencies.authz.modelId,
  });

  /** Runs a report when few others run. */
  const admitted =
    <Sent extends unknown[], Result>(report: (...sent: Sent) => Promise<Result>) =>
    (...sent: Sent): Promise<Result> =>
      admit(() => report(...sent));

  return {
    /** What a member, a credential, a role or a team may do and see. */
    access: {
      ofMember: admitted(access.ofMember),
      ofCredential: admitted(access.ofCredential),
      ofTeam: admitted(access.ofTeam),
      ofRole: admitted(access.ofRole),
    },
    /** What the caller's own credentials may do and see. */
    own: { requireOwn: own.requireOwn, of: admitted(own.of) },
    /** Throws 404 unless the organization has this member or live credential. */
    requireSubject: access.requireSubject,
    async requireRole(params: RoleParams) {
      await organizations.roles.get(params);
    },
    async requireTeam(caller: Principal, params: TeamParams) {
      await organizations.teams.get(caller, params);
    },
    requirePermission,
    /** Who holds a permission. */
    holders: {
      page: admitted(async (organization_id: string, permission: string, query: PageQuery) =>
        reportPage(await holders(organization_id, permission), query),
      ),
      /** Yields all of them, for a file. */
      parts: (organization_id: string, permission: string) =>
        reportParts(() => admit(() => holders(organization_id, permission))),
    },
    /** Who can use an item. */
    users: {
      page: admitted(async (asked: Asked, item: ItemRef, query: PageQuery) =>
        reportPage(await users(asked, item), query),
      ),
      /** Yields all of them, for a file. */
      parts: (asked: Asked, item: ItemRef) => reportParts(() => admit(() => users(asked, item))),
    },
    /** Why a subject has, or lacks, a permission or an item. */
    explain: admitted(explain),
    /** What two subjects, or two reviews, have in common and what only one has. */
    diff: admitted(diff),
    /** Snapshots of what everyone may do, and decisions about them. */
    reviews,
    reviewSettings: createReviewSettings(dependencies),
    /** Takes reviews by itself, if an organization wants that. */
    nightly,
  };
}
export type Explorer = ReturnType<typeof createExplorer>;
