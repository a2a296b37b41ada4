import { isSession, tokenGrantOf } from '../caller/principal.ts';
import type { Principal } from '../caller/principal.ts';
import { toPage } from '../platform/http/pages.ts';
import type { Page, PageQuery } from '../platform/http/pages.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from './dependencies.ts';
import { listingOf, recordOf } from './record.ts';
import type { OrganizationListing, OrganizationRecord } from './schema.ts';
import {
  findOrganizationWithTeams,
  findServiceOrganization,
  findViewedOrganization,
  listViewedOrganizations,
} from './store.ts';
import type { ViewedRow } from './store.ts';
import { grantOfToken } from './token-grant.ts';

/** Creates the functions that read organizations for members, and for credentials with a grant. */
export function createOrganizationReads({
  database: { pool },
}: Pick<OrganizationsDependencies, 'database'>) {
  /** Returns the one organization of a credential that acts for no person, or of a token. */
  async function findOwn(caller: Principal): Promise<ViewedRow | null> {
    const grant = grantOfToken(caller);
    if (grant === null) {
      // A personal token sees none.
      if (tokenGrantOf(caller) !== null) return null;
      return findServiceOrganization(pool, caller.credential.id);
    }
    const { organization_id: id, team_ids } = grant;
    const row =
      caller.person === null
        ? await findOrganizationWithTeams(pool, id, team_ids)
        : await findViewedOrganization(pool, { account_id: caller.person, key_id: null }, id);
    const key_grant = { ...grant, team_ids: team_ids && [...team_ids], is_token: true as const };
    return row && { ...row, key_grant };
  }

  return {
    async get(caller: Principal, id: string): Promise<OrganizationRecord> {
      const viewer = viewerOf(caller);
      const row = viewer ? await findViewedOrganization(pool, viewer, id) : await findOwn(caller);
      if (row?.id !== id) throw absent('left or deleted concurrently');
      return recordOf(row);
    },
    async list(caller: Principal, page: PageQuery): Promise<Page<OrganizationListing>> {
      const viewer = viewerOf(caller);
      if (viewer === null) {
        const row = await findOwn(caller);
        return { data: row ? [listingOf(recordOf(row))] : [], next_cursor: null };
      }
      const { limit, cursor = null } = page;
      const rows = await listViewedOrganizations(pool, viewer, { limit: limit + 1, cursor });
      return toPage(
        rows.map((row) => listingOf(recordOf(row))),
        page,
      );
    },
  };
}

/**
 * Returns the person, and the key if there is one; null for a credential that acts for no person,
 * and for a token, which is of one organization at most.
 */
const viewerOf = (caller: Principal) =>
  caller.person === null || tokenGrantOf(caller) !== null
    ? null
    : { account_id: caller.person, key_id: isSession(caller) ? null : caller.credential.id };
