import type { Principal } from '../../caller/principal.ts';
import type { Limits } from '../../limits/limits.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Page } from '../../platform/http/pages.ts';
import type { PlanName } from '../../platform/config/plans.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { readDailyUsage } from '../daily/daily.ts';
import type { DailyQuery, DailyUsage } from '../daily/schema.ts';
import { callPages } from '../call-files.ts';
import { searchCalls } from '../search.ts';
import { listCallsByItem } from '../store.ts';
import type { CallRow } from '../store.ts';
import type {
  OrganizationCall,
  OrganizationCallQuery,
  OrganizationUsage,
  TeamParams,
  TeamUsage,
} from './schema.ts';
import {
  findTeamMonth,
  listAddresses,
  listShareOfCredentials,
  listShareOfItems,
  listShareOfMembers,
} from './store.ts';
import type { Group } from './store.ts';

export interface OrganizationUsageDependencies {
  pool: Queryable;
  limits: Pick<Limits, 'usage'>;
  /** Returns an organization's plan; null if it is deleted. */
  planOf(organization_id: string): Promise<PlanName | null>;
  /** Returns the teams that the caller is in; null if they may manage every team. */
  teamsInside(caller: Principal, organization_id: string): Promise<ReadonlySet<string> | null>;
}

const MAX_SHARES = 1_000;

/** Creates usage reports and the call history of organizations and their teams. */
export function createOrganizationUsage({
  pool,
  limits,
  planOf,
  teamsInside,
}: OrganizationUsageDependencies) {
  async function sharesOf(group: Group) {
    const [members, credentials] = await Promise.all([
      listShareOfMembers(pool, group, MAX_SHARES),
      listShareOfCredentials(pool, group, MAX_SHARES),
    ]);
    return { members: [...members], credentials: [...credentials] };
  }

  async function calls(
    caller: Principal,
    organization_id: string,
    query: OrganizationCallQuery,
  ): Promise<Page<OrganizationCall>> {
    const inside = await teamsInside(caller, organization_id);
    const owner = { kind: 'organization', id: organization_id } as const;
    const page = await searchCalls(pool, owner, { ...query, inside });
    const people = page.data.flatMap(({ account_id }) => account_id ?? []);
    const emails = await listAddresses(pool, organization_id, [...new Set(people)]);
    return { ...page, data: page.data.map((row) => recordOf(row, emails)) };
  }

  return {
    calls,
    callFile: (caller: Principal, id: string, query: OrganizationCallQuery) =>
      callPages(pool, { kind: 'organization', id }, query, (page) =>
        calls(caller, id, { ...query, ...page }),
      ),
    async report(caller: Principal, organization_id: string): Promise<OrganizationUsage> {
      const plan = await planOf(organization_id);
      if (plan === null) throw absent('deleted concurrently');
      const owner = { kind: 'organization', id: organization_id, plan } as const;
      const inside = await teamsInside(caller, organization_id);
      const [usage, tools, shares] = await Promise.all([
        limits.usage(owner),
        listCallsByItem(pool, owner, MAX_SHARES, inside),
        sharesOf({ organization_id, group_id: organization_id }),
      ]);
      return { ...usage, tools: [...tools], ...shares };
    },
    async daily(
      caller: Principal,
      organization_id: string,
      query: DailyQuery,
    ): Promise<DailyUsage> {
      const owner = { kind: 'organization', id: organization_id } as const;
      const inside = query.by === undefined ? null : await teamsInside(caller, organization_id);
      return readDailyUsage(pool, owner, query, inside);
    },
    async teamReport({ organization_id, team_id }: TeamParams): Promise<TeamUsage> {
      const team = { organization_id, group_id: team_id };
      const [month, tools, shares] = await Promise.all([
        findTeamMonth(pool, team),
        listShareOfItems(pool, team, MAX_SHARES),
        sharesOf(team),
      ]);
      return { month, tools: [...tools], ...shares };
    },
  };
}

function recordOf(row: CallRow, emails: ReadonlyMap<string, string | null>): OrganizationCall {
  const { account_id, key_id, credential_kind, item_id, item_name } = row;
  const { id, at, kind, outcome, layer, duration_ms } = row;
  return {
    ...{ id, at, kind, outcome, layer, duration_ms },
    item: { id: item_id, name: item_name },
    member: account_id === null ? null : { account_id, email: emails.get(account_id) ?? null },
    credential:
      key_id === null || credential_kind === null ? null : { kind: credential_kind, id: key_id },
  };
}
