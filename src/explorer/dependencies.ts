import type { Principal } from '../caller/principal.ts';
import type { Authz } from '../authz/authz.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Keys } from '../keys/keys.ts';
import type { Organizations } from '../organizations/organizations.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Visibility } from '../visibility/visibility.ts';
import type { ItemRef } from './items/item-ref.ts';
import type { Look } from './look.ts';
import type { UnusedAuthority } from './unused/schema.ts';

export interface ExplorerDependencies {
  database: Pick<Database, 'pool' | 'authPool'>;
  authz: Pick<Authz, 'modelId' | 'uncached' | 'explain' | 'edit'>;
  credentials: Pick<Credentials, 'findAll'>;
  keys: Pick<Keys, 'knownTo' | 'shownIn' | 'stepsOf'>;
  organizations: Pick<Organizations, 'roles' | 'teams' | 'captured'>;
  /** Returns what each credential has not used for some days, by its id. */
  unusedOf(organization_id: string, days: number): Promise<ReadonlyMap<string, UnusedAuthority>>;
  dashboardUrl: string;
  log: Log;
  /**
   * Creates views of their own caches, which displace none of those of requests; for an item, views
   * that decide about this item alone.
   */
  createVisibility(item?: ItemRef): Visibility;
}

/** Begins a look at an organization, for one report; for one about an item, at this item alone. */
export type Begin = (organization_id: string, item?: ItemRef) => Promise<Look>;

/** Who asks, and about which organization. */
export interface Asked {
  caller: Principal;
  organization_id: string;
}
