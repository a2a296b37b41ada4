import { readMember } from '../organizations/organizations.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { PageQuery } from '../platform/http/pages.ts';
import { createWhoCan, scopeOfFamily, scopeOfPermission } from './who-can.ts';
import { reportParts } from './subjects/page.ts';
import type { RoleParams } from '../organizations/roles/schema.ts';
import type { TeamParams } from '../organizations/teams/schema.ts';
import { createSubjectAccess } from './access.ts';
import { createAdmission } from './admission.ts';
import { createEvidence } from './evidence/evidence.ts';
import type { Asked, Begin, ExplorerDependencies } from './dependencies.ts';
import type { ItemRef } from './items/item-ref.ts';
import { createDiff } from './diff/diff.ts';
import { createExplanation } from './explanation/explanation.ts';
import { createItemUsers } from './items/users.ts';
import { beginLook } from './look.ts';
import { createOwnAccess } from './own.ts';
import { listTeamNames } from './subjects/store.ts';
import { createHolders } from './permissions/holders.ts';
import { requirePermission } from './permissions/named.ts';
import {
  createNightlyReviews,
  createReviewComparison,
  createReviews,
  createReviewSettings,
} from './reviews/reviews.ts';

export { removeReviews } from './reviews/reviews.ts';

type HoldersAsked = Pick<Asked, 'organization_id'>;

/**
 * Answers who may do what in an organization, and why. Every answer is what enforcement would decide:
 * the same functions decide, about the principals of the same rows.
 */
export function createExplorer(dependencies: ExplorerDependencies) {
  const { database } = dependencies;
  const admit = createAdmission();
  const begin: Begin = (organization_id, item) =>
    beginLook(
      { ...dependencies, findMember: (key) => readMember(database.authPool, key) },
      organization_id,
      item,
    );
  const evidenceOf = createEvidence(database);
  const parts = { ...dependencies, begin, evidenceOf };
  const access = createSubjectAccess(parts);
  const own = createOwnAccess(dependencies, access);
  const holders = createHolders(parts);
  const users = createItemUsers(parts);
  const whoCan = createWhoCan(database);
  const explain = createExplanation(parts);
  const reviews = createReviews(parts);
  const nightly = createNightlyReviews({ ...dependencies, reviews });
  const diff = createDiff({
    accessOf: createSubjectAccess({ ...parts, isWhole: true }).of,
    compareReviews: createReviewComparison(dependencies),
    model_id: dependencies.authz.modelId,
  });

  /** Runs a report about an organization when few others run. */
  const admitted =
    <In extends Pick<Asked, 'organization_id'>, Sent extends unknown[], Result>(
      report: (asked: In, ...sent: Sent) => Promise<Result>,
    ) =>
    (asked: In, ...sent: Sent): Promise<Result> =>
      admit(asked.organization_id, () => report(asked, ...sent));

  return {
    /** What a member, a credential, a role or a team may do and see. */
    access: {
      ofMember: admitted(access.ofMember),
      ofCredential: admitted(access.ofCredential),
      ofTeam: admitted(access.ofTeam),
      ofRole: admitted(access.ofRole),
    },
    /** What the caller's own credentials may do and see. */
    own: {
      requireOwn: own.requireOwn,
      of: (...asked: Parameters<typeof own.of>) => admit(asked[0].person, () => own.of(...asked)),
    },
    /** Throws 404 unless the organization has this member or live credential. */
    requireSubject: access.requireSubject,
    ...createRequired(dependencies),
    requirePermission,
    /** Who holds a permission. */
    holders: {
      page: admitted(async (asked: HoldersAsked, permission: string, query: PageQuery) =>
        whoCan(
          await holders(asked.organization_id, permission),
          query,
          scopeOfPermission(permission),
        ),
      ),
      /** Yields all of them, for a file. */
      parts: ({ organization_id }: HoldersAsked, permission: string) =>
        reportParts(() => admit(organization_id, () => holders(organization_id, permission))),
    },
    /** Who can use an item. */
    users: {
      page: admitted(async (asked: Asked, item: ItemRef, query: PageQuery) =>
        whoCan(await users(asked, item), query, scopeOfFamily(item.family)),
      ),
      /** Yields all of them, for a file. */
      parts: (asked: Asked, item: ItemRef) =>
        reportParts(() => admit(asked.organization_id, () => users(asked, item))),
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

/** Creates the functions that throw 404 unless the organization has a role or a team. */
const createRequired = ({
  database,
  organizations,
}: Pick<ExplorerDependencies, 'database' | 'organizations'>) => ({
  async requireRole(params: RoleParams) {
    await organizations.roles.get(params);
  },
  async requireTeam({ organization_id, team_id }: TeamParams) {
    const all = await listTeamNames(database.pool, organization_id);
    if (!all.some(({ id }) => id === team_id)) throw absent('no such team');
  },
});

export type Explorer = ReturnType<typeof createExplorer>;
