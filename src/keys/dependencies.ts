import type { Authz } from '../authz/authz.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Limits } from '../limits/limits.ts';
import type { Organizations, Teams } from '../organizations/organizations.ts';
import type { Config } from '../platform/config/config.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Log } from '../platform/observability/log.ts';
import type { ViewsAround, Visibility } from '../visibility/visibility.ts';
import type { AgentStartDependencies } from './agent-start.ts';
import type { ExpiryDependencies } from './expiry/expiry.ts';
import type { MemberConnections } from './member-credentials/member-credentials.ts';
import type { NamedItemsDependencies } from './named-items.ts';
import type { ShownItemsDependencies } from './shown-items.ts';

export interface KeysDependencies
  extends NamedItemsDependencies, Pick<ShownItemsDependencies, 'listTokens'> {
  database: Database;
  authz: Pick<Authz, 'check' | 'change' | 'explain'>;
  visibility: Visibility;
  viewsAround: ViewsAround;
  credentials: Pick<Credentials, 'find' | 'findAll'>;
  limits: Pick<Limits, 'windows'>;
  /** Checks what people may grant to keys in organizations, and which teams they are in. */
  organizations: Pick<Organizations, 'delegation'> & { teams: Pick<Teams, 'idsInside'> };
  config: Pick<Config, 'DASHBOARD_URL'>;
  mail: ExpiryDependencies['mail'];
  /** Throws 429 above the account's limit, since an explanation sends many requests to OpenFGA. */
  limitExplain(account_id: string): Promise<void>;
  /** Runs a preview of an edit, or throws 429 above the account's limits. */
  admitPreview<Result>(account_id: string, preview: () => Promise<Result>): Promise<Result>;
  memberConnections(): MemberConnections;
  contextOf: AgentStartDependencies['contextOf'];
  log: Log;
}
