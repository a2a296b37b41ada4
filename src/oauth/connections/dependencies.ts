import type { Authz } from '../../authz/authz.ts';
import type { Capability } from '../../authz/permissions.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { Family } from '../../content/items/schema.ts';
import type { Credentials } from '../../credentials/credentials.ts';
import type { Explanation, Preview, PreviewPage } from '../../visibility/schema.ts';
import type { Organizations, Teams } from '../../organizations/organizations.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Visibility } from '../../visibility/visibility.ts';

/** What every change of connections needs. */
export interface ChangeDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'change'>;
  log: Log;
}

/** A connection that exists, who manages it, and the organization that it works in. */
interface Inspected {
  id: string;
  owner: { kind: 'account' | 'organization'; id: string };
  runs_in: string | null;
  /** The page on which its scopes are changed, below those of its owner; null if they cannot be. */
  page: string | null;
  declared: readonly Capability[];
}

export interface ConnectionsDependencies extends ChangeDependencies {
  credentials: Pick<Credentials, 'findAll'>;
  visibility: Pick<Visibility, 'agentView' | 'reach'>;
  organizations: Pick<Organizations, 'delegation'> & { teams: Pick<Teams, 'idsInside'> };
  /** Explains and previews what a credential sees, by the rules for keys. */
  inspect: {
    explain(
      caller: SessionPrincipal,
      connection: Inspected,
      target: { family: Family; item: string },
    ): Promise<Explanation>;
    preview(
      caller: SessionPrincipal,
      connection: Inspected,
      page: PreviewPage | null,
    ): Promise<Preview>;
  };
}
