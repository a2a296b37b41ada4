import { permissionByScope, scopeOfCapability } from '../../authz/permissions.ts';
import type { Authz } from '../../authz/authz.ts';
import type { Page } from '../../platform/http/pages.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { recordingUses } from './recording.ts';
import { unusedOf } from './remaining.ts';
import type { UnusedAuthority, UnusedQuery } from './schema.ts';
import { listCarriers } from './store.ts';
import type { CarrierRow } from './store.ts';
import { createPermissionUses } from './uses.ts';

const BATCH = 200;

/** Records what credentials use in organizations, and lists what they carry there and have not used. */
export function createUnused({ pool, log }: { pool: Queryable; log: Log }) {
  const { flush, ...uses } = createPermissionUses({ pool, log });
  return {
    ...uses,
    /** Records what the checks of these decisions allow. */
    recording: (authz: Authz): Authz => recordingUses(authz, uses),
    async list(organization_id: string, query: UnusedQuery): Promise<Page<UnusedAuthority>> {
      const { days, limit } = query;
      await flush();
      const data: UnusedAuthority[] = [];
      let after: string | null = query.cursor ?? null;
      for (;;) {
        const rows = await listCarriers(pool, organization_id, { days, after, limit: BATCH });
        for (const row of rows) {
          const found = unusedIn(row);
          // One more than the page shows that there is a next one.
          if (found !== null && data.length === limit)
            return { data, next_cursor: data.at(-1)!.subject.id };
          if (found !== null) data.push(found);
        }
        if (rows.length < BATCH) return { data, next_cursor: null };
        after = rows.at(-1)!.id;
      }
    },
    /** Returns what each credential has not used for some days, by its id. */
    async all(organization_id: string, days: number): Promise<Map<string, UnusedAuthority>> {
      await flush();
      const all = new Map<string, UnusedAuthority>();
      let after: string | null = null;
      for (;;) {
        const rows = await listCarriers(pool, organization_id, { days, after, limit: BATCH });
        for (const row of rows) {
          const found = unusedIn(row);
          if (found !== null) all.set(row.id, found);
        }
        if (rows.length < BATCH) return all;
        after = rows.at(-1)!.id;
      }
    },
  };
}
export type Unused = ReturnType<typeof createUnused>;

/** Returns what a credential has not used in the period; null if there is nothing. */
function unusedIn(row: CarrierRow): UnusedAuthority | null {
  // It may have used anything before uses were recorded.
  if (row.is_uncertain) return null;
  const used = new Set(row.uses.filter((use) => use.is_recent).map((use) => use.permission));
  const named = row.permissions.map((name) => ({ name, grant: grantOf(row, name) }));
  const unused = new Set(
    unusedOf(
      named.map(({ grant }) => grant),
      used,
    ),
  );
  const permissions = named.filter(({ grant }) => unused.has(grant)).map(({ name }) => name);
  const capabilities = row.capabilities.filter((one) => !used.has(scopeOfCapability(one)));
  if (permissions.length + capabilities.length === 0) return null;
  const { kind, id, name, owner, last_used_at } = row;
  const listed = new Set([...unused, ...capabilities.map(scopeOfCapability)]);
  return {
    subject: { kind, id, name, owner, last_used_at },
    ...{ permissions, capabilities, items: [] },
    unused_since: lastUseOf(row, listed),
  };
}

/** Returns the permission's name in grants; OAuth clients carry names of scopes. */
const grantOf = ({ kind }: CarrierRow, name: string): string =>
  kind === 'connection' || kind === 'client' ? (permissionByScope(name)?.grant ?? name) : name;

function lastUseOf({ uses, created_at }: CarrierRow, listed: ReadonlySet<string>): string {
  const days = uses.filter(({ permission }) => listed.has(permission)).map(({ on }) => on);
  const last = days.toSorted().at(-1);
  const at = last === undefined ? created_at : `${last}T00:00:00.000Z`;
  return at < created_at ? created_at : at;
}
