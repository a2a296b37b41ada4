import type { Authz } from './authz/authz.ts';
import type { Content } from './content/content.ts';
import type { Organizations } from './organizations/organizations.ts';
import { createVisibility } from './visibility/visibility.ts';
import type { VisibilityDependencies } from './visibility/visibility.ts';

interface Rows {
  content: Pick<Content, 'designatedItems' | 'readContents' | 'runnable'>;
  organizations: Pick<Organizations, 'teams'>;
}

/** Creates `visibility` over the rows of content and organizations. */
export const visibilityOf = ({
  content,
  organizations: { teams },
  ...rest
}: Rows & Pick<VisibilityDependencies, 'authz' | 'catalog' | 'cached'>) =>
  createVisibility({
    ...{ ...rest, readContents: content.readContents, runnable: content.runnable },
    organizations: {
      async exposure(id) {
        const [designated, exposing] = await Promise.all([
          content.designatedItems(id),
          teams.policies.all(id),
        ]);
        return { designated, teams: exposing };
      },
      seatsOf: teams.seats.teamIdsOf,
    },
  });

/**
 * Creates `visibility` for one report: with caches of its own, and with decisions that displace none of
 * those of requests.
 */
export const visibilityForReport = ({
  authz,
  ...parts
}: Rows & Pick<VisibilityDependencies, 'catalog'> & { authz: Authz }) =>
  visibilityOf({ ...parts, authz: { ...authz, ...authz.uncached }, cached: true });
