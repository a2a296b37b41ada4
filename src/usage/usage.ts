import type { Authz } from '../authz/authz.ts';
import { ownAccountOf } from '../caller/principal.ts';
import type { PersonalPrincipal } from '../caller/principal.ts';
import type { Limits } from '../limits/limits.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Page } from '../platform/http/pages.ts';
import type { CallQuery, CallRecord, Dashboard, UsageReport } from './schema.ts';
import { createOrganizationUsage } from './organizations/organizations.ts';
import type { OrganizationUsageDependencies } from './organizations/organizations.ts';
import { readDailyUsage } from './daily/daily.ts';
import type { DailyQuery } from './daily/schema.ts';
import { callPages } from './call-files.ts';
import { createKeyCalls } from './key-calls.ts';
import type { KeyCallsDependencies } from './key-calls.ts';
import { searchCalls } from './search.ts';
import { createSettings } from './settings.ts';
import { listCallsByDay, listCallsByItem, listErrors } from './store.ts';
import type { CallRow } from './store.ts';

/** Counts from other modules, for an account's dashboard. */
export interface Counts {
  keys(account_id: string): Promise<number>;
  items(account_id: string): Promise<Dashboard['items']>;
  selectedTools(account_id: string): Promise<number>;
}

export interface UsageDependencies extends KeyCallsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit'>;
  limits: Pick<Limits, 'usage'>;
  counts: Counts;
  planOf: OrganizationUsageDependencies['planOf'];
  teamsInside: OrganizationUsageDependencies['teamsInside'];
}

const MAX_ITEMS = 1_000;
const DAYS = 30;
const MAX_ERRORS = 10;

/** Creates usage reports, call history and settings of accounts and organizations; `limits` writes the ledger. */
export function createUsage(dependencies: UsageDependencies) {
  const { database, authz, limits, counts } = dependencies;
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
    const { key_id: credential_id, ...search } = query;
    const owner = ownAccountOf(caller).quota_owner;
    const page = await searchCalls(pool, owner, { ...search, credential_id });
    return { ...page, data: page.data.map(recordOf) };
  }

  const callFile = (caller: PersonalPrincipal, query: CallQuery) =>
    callPages(pool, ownAccountOf(caller).quota_owner, query, (page) =>
      calls(caller, { ...query, ...page }),
    );

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

  return {
    ...{ report, calls, callFile, dashboard },
    daily: (caller: PersonalPrincipal, query: DailyQuery) =>
      readDailyUsage(pool, ownAccountOf(caller).quota_owner, query),
    ...createKeyCalls({ ...dependencies, pool }),
    requireKey: dependencies.requireKey,
    ...createSettings({ database, authz }),
    organizations: createOrganizationUsage({ ...dependencies, pool }),
  };
}
export type Usage = ReturnType<typeof createUsage>;

function recordOf(row: CallRow): CallRecord {
  const { account_id: _own, credential_kind: _api_key, key_id, key_name, ...fields } = row;
  const { item_id, item_name, ...rest } = fields;
  return {
    ...rest,
    key: key_id === null ? null : { id: key_id, ...(key_name === null ? {} : { name: key_name }) },
    item: { id: item_id, name: item_name },
  };
}
