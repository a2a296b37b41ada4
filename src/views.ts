import type { Authz } from './authz/authz.ts';
import type { Content } from './content/content.ts';
import { createExplorer } from './explorer/explorer.ts';
import type { Organizations } from './organizations/organizations.ts';
import type { Config } from './platform/config/config.ts';
import type { Tracing } from './platform/observability/tracing.ts';
import { traceVisibility } from './traced.ts';
import { createVisibility, decidingCapabilities } from './visibility/visibility.ts';
import type { VisibilityDependencies } from './visibility/visibility.ts';

interface Rows {
  content: Pick<Content, 'designatedItems' | 'readContents' | 'runnable'>;
  organizations: Pick<Organizations, 'teams'>;
}

/** Creates `visibility` over the rows of content and organizations. */
const visibilityOf = ({
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

/** Creates `visibility` for requests. */
export const visibilityForRequests = (
  parts: Rows & Pick<VisibilityDependencies, 'authz' | 'catalog'>,
  { AUTHZ_CACHE }: Pick<Config, 'AUTHZ_CACHE'>,
  tracing: Tracing,
) => traceVisibility(visibilityOf({ ...parts, cached: AUTHZ_CACHE === 'on' }), tracing);

/**
 * Creates `visibility` for one report: with caches of its own, and with decisions that displace none of
 * those of requests. For one about an item, only what decides about it is checked.
 */
const visibilityForReport = (
  { authz, ...parts }: Rows & Pick<VisibilityDependencies, 'catalog'> & { authz: Authz },
  item?: ItemRef,
) => {
  const { contextOf, ...checks } = authz.uncached;
  const narrowed =
    item === undefined ? {} : { context: contextOf(decidingCapabilities(parts.catalog, item)) };
  return visibilityOf({ ...parts, authz: { ...authz, ...checks, ...narrowed }, cached: true });
};

type ExplorerDependencies = Parameters<typeof createExplorer>[0];
type ItemRef = Parameters<typeof decidingCapabilities>[1];

/** Creates the access explorer. */
export const explorerOf = ({
  config,
  catalog,
  content,
  unused,
  ...parts
}: Omit<ExplorerDependencies, 'dashboardUrl' | 'createVisibility' | 'unusedOf'> &
  Rows &
  Pick<VisibilityDependencies, 'catalog'> & {
    authz: Authz;
    config: Pick<Config, 'DASHBOARD_URL'>;
    unused: { all: ExplorerDependencies['unusedOf'] };
  }) =>
  createExplorer({
    ...{ ...parts, dashboardUrl: config.DASHBOARD_URL, unusedOf: unused.all },
    createVisibility: (item) => visibilityForReport({ ...parts, catalog, content }, item),
  });
