import type { Authz } from '../authz/authz.ts';
import { ownAccountOf } from '../caller/principal.ts';
import type { PersonalPrincipal } from '../caller/principal.ts';
import type { Limits } from '../limits/limits.ts';
import type { Database } from '../platform/postgres/database.ts';
import { cutPage } from '../platform/http/pages.ts';
import type { Page } from '../platform/http/pages.ts';
import { malformed } from '../platform/errors/refusal.ts';
import type { CallQuery, CallRecord, Dashboard, UsageReport } from './schema.ts';
import { createSettings } from './settings.ts';
import {
  findCall,
  findHorizon,
  listCalls,
  listCallsByDay,
  listCallsByItem,
  listErrors,
} from './store.ts';
import type { CallRow } from './store.ts';

/** Counts from other modules, for an account's dashboard. */
export interface Counts {
  keys(account_id: string): Promise<number>;
  items(account_id: string): Promise<Dashboard['items']>;
  selectedTools(account_id: string): Promise<number>;
}

export interface UsageDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
  limits: Pick<Limits, 'usage'>;
  counts: Counts;
}

const MAX_ITEMS = 1_000;
const DAYS = 30;
// Maximum number of calls that a filtered page scans, so that rare matches cannot slow it down; the
// next page continues from there.
const MAX_SCANNED = 10_000;
const MAX_ERRORS = 10;

/** Creates usage reports, call history and settings of an account; `limits` writes the ledger. */
export function createUsage({ database, authz, limits, counts }: UsageDependencies) {
  const { pool } = database;

  async function report(caller: PersonalPrincipal): Promise<UsageReport> {
    const owner = ownAccountOf(caller).quota_owner;
    const [usage, tools] = await Promise.all([
      limits.usage(owner),
      listCallsByItem(pool, owner, MAX_ITEMS),
    ]);
    return { ...usage, tools: [...tools] };
  }

  async function calls(caller: PersonalPrincipal, query: CallQuery): Promise<Page<CallRecord>> {
    const owner = ownAccountOf(caller).quota_owner;
    const { limit, cursor } = query;
    const after = cursor === undefined ? null : await findCall(pool, owner, cursor);
    if (cursor !== undefined && after === null)
      throw malformed('invalid_cursor', 'The cursor does not belong to this list.');
    const search = { ...query, after };
    const isFiltered = [query.key, query.item, query.outcome].some(
      (filter) => filter !== undefined,
    );
    const horizon = isFiltered
      ? await findHorizon(pool, owner, { ...search, most: MAX_SCANNED })
      : null;
    const rows = await listCalls(pool, owner, { ...search, horizon, limit: limit + 1 });
    const page = cutPage(rows.map(recordOf), query);
    return { ...page, next_cursor: page.next_cursor ?? horizon?.id ?? null };
  }

  async function dashboard(caller: PersonalPrincipal): Promise<Dashboard> {
    const { account_id, quota_owner: owner } = ownAccountOf(caller);
    const [keys, items, selected_tools, byDay, errors] = await Promise.all([
      counts.keys(account_id),
      counts.items(account_id),
      counts.selectedTools(account_id),
      listCallsByDay(pool, owner, DAYS),
      listErrors(pool, owner, { limit: MAX_ERRORS, days: DAYS }),
    ]);
    return {
      ...{ keys, items, selected_tools, calls: [...byDay] },
      errors: errors.map((row) => {
        const { arguments: _, ...error } = recordOf(row);
        return error;
      }),
    };
  }

  return { report, calls, dashboard, ...createSettings({ database, authz }) };
}
export type Usage = ReturnType<typeof createUsage>;

function recordOf(row: CallRow): CallRecord {
  const { key_id, key_name, item_id, item_name, ...rest } = row;
  return {
    ...rest,
    key: key_id === null ? null : { id: key_id, ...(key_name === null ? {} : { name: key_name }) },
    item: { id: item_id, name: item_name },
  };
}
