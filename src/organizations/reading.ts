import { isSession } from '../caller/principal.ts';
import type { Principal } from '../caller/principal.ts';
import { toPage } from '../platform/http/pages.ts';
import type { Page, PageQuery } from '../platform/http/pages.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from './dependencies.ts';
import { recordOf } from './record.ts';
import type { OrganizationRecord } from './schema.ts';
import {
  findServiceOrganization,
  findViewedOrganization,
  listViewedOrganizations,
} from './store.ts';

/** Creates the functions that read organizations for members, and for credentials with a grant. */
export function createOrganizationReads({
  database: { pool },
}: Pick<OrganizationsDependencies, 'database'>) {
  return {
    async get(caller: Principal, id: string): Promise<OrganizationRecord> {
      const viewer = viewerOf(caller);
      const row = viewer
        ? await findViewedOrganization(pool, viewer, id)
        : await findServiceOrganization(pool, caller.credential.id);
      if (row?.id !== id) throw absent('left or deleted concurrently');
      return recordOf(row);
    },
    async list(caller: Principal, page: PageQuery): Promise<Page<OrganizationRecord>> {
      const viewer = viewerOf(caller);
      if (viewer === null) {
        const row = await findServiceOrganization(pool, caller.credential.id);
        return { data: row ? [recordOf(row)] : [], next_cursor: null };
      }
      const { limit, cursor = null } = page;
      const rows = await listViewedOrganizations(pool, viewer, { limit: limit + 1, cursor });
      return toPage(rows.map(recordOf), page);
    },
  };
}

/**
 * Returns the person, and the key if there is one; null for a credential that acts for no person.
 */
const viewerOf = (caller: Principal) =>
  caller.person === null
    ? null
    : { account_id: caller.person, key_id: isSession(caller) ? null : caller.credential.id };
