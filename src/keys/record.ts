import type { Principal } from '../caller/principal.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { listTeamPolicies, listTeamsOf } from './bindings/store.ts';
import type { TeamRow } from './bindings/store.ts';
import { shownAgent } from './default-agents.ts';
import type { ShownAgents } from './default-agents.ts';
import type { KeyRecord, KeyTeam, Policies } from './schema.ts';
import type { KeyRow } from './store.ts';

/** Returns a key's record; its default agent is identified only to callers who may know of it. */
export type ShowKey = (caller: Principal, row: KeyRow) => Promise<KeyRecord>;

/** The teams of keys in organizations, by key id. */
export type TeamsByKey = ReadonlyMap<string, readonly TeamRow[]>;

/** Returns the teams of those keys that run in an organization. */
export async function teamsOf(db: Queryable, rows: readonly KeyRow[]): Promise<TeamsByKey> {
  const inOrganizations = rows.filter(({ runs_in }) => runs_in !== null).map(({ id }) => id);
  const teams = inOrganizations.length === 0 ? [] : await listTeamsOf(db, inOrganizations);
  return Map.groupBy(teams, ({ key_id }) => key_id);
}

// Bytes of team policies in a page: keys that follow the same 200 teams repeat all their policies.
const MAX_POLICIES = 4_000_000;

/** Returns how many of the keys a page can contain, at least one. */
export function countFitting(
  rows: readonly KeyRow[],
  teams: TeamsByKey,
  maxSize = MAX_POLICIES,
): number {
  let size = 0;
  const excess = rows.findIndex(({ id }) => {
    for (const team of teams.get(id) ?? []) if (team.available) size += team.policies_size;
    return size > maxSize;
  });
  return excess < 0 ? rows.length : Math.max(1, excess);
}

/**
 * Returns the records of keys for their owner, or for members who may view an organization's keys.
 */
export async function recordsOf(
  db: Queryable,
  rows: readonly KeyRow[],
  teams: TeamsByKey,
  agents: ShownAgents,
): Promise<KeyRecord[]> {
  const teamRows = rows.map(({ id }) => teams.get(id) ?? []);
  const available = teamRows.flat().filter((team) => team.available);
  const ids = new Set(available.map(({ id }) => id));
  // Each team's policies are read once, however many keys have it.
  const policies = ids.size === 0 ? [] : await listTeamPolicies(db, [...ids]);
  const byTeam = new Map(policies.map(({ id, ...four }) => [id, four]));
  return rows.map((row, index) =>
    recordWith(
      row,
      agents,
      teamRows[index]!.flatMap((team) => visibleTeam(team, byTeam)),
    ),
  );
}

/** The record of a key in an organization has its teams' policies instead of its own (K1). */
function recordWith(row: KeyRow, agents: ShownAgents, teams: KeyTeam[]): KeyRecord {
  const { tool_policy, resource_policy, prompt_policy, agent_policy } = row;
  const { org_scope, organization_id, created_by, follows_teams } = row;
  const { allowed_addresses, hours } = row;
  const shared = {
    ...{ id: row.id, name: row.name, secret_prefix: row.secret_prefix, grants: row.grants },
    mcp_capabilities: row.mcp_capabilities,
    default_agent: shownAgent(row, agents),
    tool_listing: row.tool_listing,
    status: row.expired ? ('expired' as const) : ('active' as const),
    ...{ allowed_addresses, hours },
    ...{ expires_at: row.expires_at, last_used_at: row.last_used_at, created_at: row.created_at },
  };
  if (organization_id !== null)
    return { ...shared, organization_id, follows_teams, teams, created_by };
  if (org_scope !== null)
    return { ...shared, org_scope, follows_memberships: follows_teams, teams };
  return { ...shared, org_scope, tool_policy, resource_policy, prompt_policy, agent_policy };
}

/**
 * Returns a team; none if it is deleted. If the owner has lost access to it, it is shown without its
 * policies, and without its name, which may be another one since.
 */
function visibleTeam(
  { id, name, available }: TeamRow,
  policies: ReadonlyMap<string, Policies>,
): KeyTeam[] {
  if (!available) return [{ id, name: null, available }];
  const four = policies.get(id);
  return four === undefined ? [] : [{ id, name, available, ...four }];
}
