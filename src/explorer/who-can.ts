import { z } from 'zod';
import {
  organizationPermissionByGrant,
  scopeOfCapability,
  teamPermissionByGrant,
} from '../authz/permissions.ts';
import type { Family } from '../content/items/schema.ts';
import { sql } from '../platform/postgres/database.ts';
import type { Database, Queryable } from '../platform/postgres/database.ts';
import type { PageQuery } from '../platform/http/pages.ts';
import { capabilityOf } from '../visibility/visibility.ts';
import { reportPage } from './subjects/page.ts';
import type { Found, Report } from './subjects/page.ts';

/** An answer is about a few clients; their own list has all. */
const MAX_CLIENTS = 100;

const ClientRow = z.object({ id: z.string(), name: z.string() });

/**
 * Returns the organization's OAuth clients, oldest first, that could carry a scope once a member
 * authorizes them: who authorizes one gives it no more than they have.
 */
async function listAuthorizable(
  db: Queryable,
  organization_id: string,
  scope: string | null,
): Promise<z.infer<typeof ClientRow>[]> {
  if (scope === null) return [];
  // Allowed scopes are stored with those that they imply.
  const rows = await db.any(sql.type(ClientRow)`
    SELECT id, name FROM oauth_client
    WHERE organization_id = ${organization_id} AND disabled_at IS NULL
      AND 'authorization_code' = ANY(grant_types) AND ${scope} = ANY(allowed_scopes)
    ORDER BY id LIMIT ${MAX_CLIENTS}`);
  return [...rows];
}

/** Creates pages of who can do something, with the clients that could. */
export const createWhoCan =
  ({ pool }: Pick<Database, 'pool'>) =>
  async <Entry, One extends Found>(
    report: Report<Entry, One>,
    query: PageQuery,
    scope: string | null,
  ) => ({
    ...(await reportPage(report, query)),
    authorizable_clients: await listAuthorizable(pool, report.look.organization_id, scope),
  });

/** Returns the scope of a permission in an organization or in teams; null if no token can carry it. */
export const scopeOfPermission = (name: string): string | null =>
  (organizationPermissionByGrant(name) ?? teamPermissionByGrant(name))?.scope ?? null;

/** Returns the scope without which a connection can use no item of a family. */
export const scopeOfFamily = (family: Family): string => scopeOfCapability(capabilityOf[family]);
