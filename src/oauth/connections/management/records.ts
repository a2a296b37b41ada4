import { capabilityByScope } from '../../../authz/permissions.ts';
import type { Principal } from '../../../caller/principal.ts';
import { asRefusal } from '../../../platform/errors/outage.ts';
import type { AgentItem } from '../../../visibility/visibility.ts';
import type { ConnectionsDependencies } from '../dependencies.ts';
import type { ConnectionRecord, DefaultAgent } from '../schema.ts';
import type { ListedRow } from './store.ts';

// Connections whose access is read at a time: each may need checks in 200 teams.
const AT_ONCE = 2;

/** Agents by the id of the connection; null if OpenFGA could not decide. */
type ShownAgents = ReadonlyMap<string, AgentItem> | null;

/** Creates the functions that find the default agents of connections, and show connections. */
export function createConnectionRecords({
  credentials,
  visibility,
  organizations: { teams },
}: Pick<ConnectionsDependencies, 'credentials' | 'visibility' | 'organizations'>) {
  /**
   * Returns the agent with this id if the connection can access it, and the caller may know of it:
   * a machine may reach agents of teams that the caller is not in.
   */
  async function findAgent(
    caller: Principal,
    { id, account_id, organization_id }: ListedRow,
    agent_id: string,
  ): Promise<AgentItem | null> {
    const credential = (await credentials.findAll([id])).get(id);
    if (credential === undefined) return null;
    const view = await visibility.agentView(credential.principal);
    const agent = visibility.reach(view, 'agent', agent_id);
    if (agent === null || account_id !== null || agent.space_id === organization_id) return agent;
    const inside = await teams.idsInside(caller, organization_id!);
    return inside.has(agent.space_id) ? agent : null;
  }

  async function findAgents(
    caller: Principal,
    rows: readonly ListedRow[],
  ): Promise<ReadonlyMap<string, AgentItem>> {
    const found = new Map<string, AgentItem>();
    const assigned = rows.filter(({ default_agent_id }) => default_agent_id !== null);
    for (let start = 0; start < assigned.length; start += AT_ONCE)
      await Promise.all(
        assigned.slice(start, start + AT_ONCE).map(async (row) => {
          const agent = await findAgent(caller, row, row.default_agent_id!);
          if (agent !== null) found.set(row.id, agent);
        }),
      );
    return found;
  }

  /** Works without OpenFGA, so that people can find what to revoke. */
  async function agentsOf(caller: Principal, rows: readonly ListedRow[]) {
    const agents = await findAgents(caller, rows).catch((error: unknown) => {
      if (asRefusal(error)?.kind !== 'unavailable') throw error;
      return null;
    });
    return new Map(rows.map((row) => [row, shownAgent(row, agents)]));
  }

  return {
    findAgent,
    /** Returns what is shown of each connection's default agent. */
    agentsOf,
    async recordsOf(caller: Principal, rows: readonly ListedRow[]): Promise<ConnectionRecord[]> {
      const agents = await agentsOf(caller, rows);
      return rows.map((row) => recordOf(row, agents.get(row)!));
    },
  };
}

/** Returns the scopes of a connection that its client still has. */
export const currentScopes = ({ scopes, ceiling }: Pick<ListedRow, 'scopes' | 'ceiling'>) =>
  scopes.filter((name) => ceiling.includes(name));

export const capabilitiesOf = (scopes: readonly string[]) =>
  scopes.flatMap((name) => capabilityByScope(name) ?? []);

function recordOf(row: ListedRow, default_agent: DefaultAgent): ConnectionRecord {
  const { id, kind, account_id, email, organization, teams, created_at, last_used_at } = row;
  const { tool_listing, allowed_addresses, hours } = row;
  const scopes = currentScopes(row);
  return {
    ...{ id, kind },
    client: { id: row.client_id, name: row.client_name },
    account: account_id === null ? null : { id: account_id, email },
    organization,
    follows_memberships: row.follows,
    ...{ teams, scopes },
    mcp_capabilities: capabilitiesOf(scopes),
    ...{ default_agent, tool_listing, allowed_addresses, hours, created_at, last_used_at },
  };
}

/** An unavailable agent is not identified (K3). */
function shownAgent({ id, default_agent_id }: ListedRow, agents: ShownAgents): DefaultAgent {
  if (default_agent_id === null) return null;
  if (agents === null) return { available: null };
  const agent = agents.get(id);
  return agent === undefined ? { available: false } : { id: agent.id, name: agent.name };
}
