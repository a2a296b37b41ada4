import { ConcurrentUpdate } from '../authz/authz.ts';
import type { Principal } from '../caller/principal.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Delegation, Teams } from '../organizations/organizations.ts';
import { asRefusal } from '../platform/errors/outage.ts';
import type { AgentItem, Configuration, View, Visibility } from '../visibility/visibility.ts';
import type { KeyRecord } from './schema.ts';
import type { KeyOwner, KeyRow } from './store.ts';

/** Where a new or changed key is to run. */
export interface KeyContext {
  owner: KeyOwner;
  /** The organization that the key runs in; null for its person's account. */
  runs_in: string | null;
  /** The teams that the key is bound to; null if it follows teams. */
  team_ids: readonly string[] | null;
}

/** Returns the agent with this id if a key of this configuration can access it, else null. */
export type ReachAgent = (configuration: Configuration, id: string) => AgentItem | null;

export interface DefaultAgentsDependencies {
  visibility: Pick<Visibility, 'agentView' | 'drafts' | 'draftsIn' | 'reach'>;
  credentials: Pick<Credentials, 'findAll'>;
  delegation: Delegation;
  teams: Pick<Teams, 'idsInside'>;
}

export type DefaultAgents = ReturnType<typeof createDefaultAgents>;

/** Agents by the id of the key; null if OpenFGA could not decide. */
export type ShownAgents = ReadonlyMap<string, AgentItem> | null;

// Keys whose access is read at a time: each may need checks in 200 teams.
const AT_ONCE = 2;

/** Resolves the default agents of keys by the rules for what a key sees over MCP (K2, K3). */
export function createDefaultAgents(dependencies: DefaultAgentsDependencies) {
  const { visibility, credentials, delegation } = dependencies;
  const knownAgents = createKnownAgents(dependencies);
  const mayUseAgents = createMayUseAgents(dependencies);

  /** Returns a function that builds the view of a key before it exists; null for a non-member. */
  async function draftsFor(
    caller: Principal,
    { owner, runs_in, team_ids }: KeyContext,
  ): Promise<((configuration: Configuration) => View) | null> {
    if (runs_in === null) return visibility.drafts(caller);
    const member = await delegation.findGrantor(caller, runs_in);
    if (member === null) return null;
    const person = owner.kind === 'account' ? caller.person : null;
    // A draft that follows all teams shows only those of its creator, who may not be in all.
    if (team_ids === null && person === null)
      return visibility.draftsIn({
        ...{ ...member, person },
        team_ids: await delegation.findReachableTeams(member),
      });
    const unreachable = await delegation.findUnreachableTeams(member, team_ids ?? []);
    return visibility.draftsIn({
      ...{ ...member, person },
      team_ids: team_ids?.filter((id) => !unreachable.has(id)) ?? null,
    });
  }

  /**
   * Returns the default agents that an owner's keys can use now, by key id. Keys that were just
   * saved are read one by one: the caller's own scope has changed since the request was read.
   */
  async function findCurrentAgents(
    caller: Principal,
    rows: readonly KeyRow[],
    areSaved = false,
  ): Promise<ReadonlyMap<string, AgentItem>> {
    const found = new Map<string, AgentItem>();
    const addIfReachable = ({ id, default_agent_id }: KeyRow, view: View) => {
      const agent = visibility.reach(view, 'agent', default_agent_id!);
      if (agent) found.set(id, agent);
    };
    const assigned = rows.filter(({ default_agent_id }) => default_agent_id !== null);
    const personal = assigned.filter(({ runs_in }) => runs_in === null);
    const ofOrganizations = assigned.filter(({ runs_in }) => runs_in !== null);
    // The agents of all keys of the caller's account are in one draft, which is cheaper to read.
    const draft = !areSaved && personal.length > 0 ? await visibility.drafts(caller) : null;
    if (draft) for (const row of personal) addIfReachable(row, draft(row));
    const others = draft ? ofOrganizations : assigned;
    const stored = await credentials.findAll(others.map(({ id }) => id));
    for (let start = 0; start < others.length; start += AT_ONCE)
      await Promise.all(
        others.slice(start, start + AT_ONCE).map(async (row) => {
          const credential = stored.get(row.id);
          if (credential) addIfReachable(row, await visibility.agentView(credential.principal));
        }),
      );
    return new Map(await knownAgents(caller, rows[0]?.organization_id ?? null, [...found]));
  }

  return {
    draftsFor,
    /**
     * Returns a function that resolves default agents of a key; reads nothing if all `ids` are
     * null. Such a key must reach the agent now, as a connection must.
     */
    async reachFor(
      caller: Principal,
      context: KeyContext,
      ids: readonly (string | null | undefined)[],
    ): Promise<ReachAgent> {
      const isNeeded = ids.some((id) => id != null) && (await mayUseAgents(caller, context));
      const draft = isNeeded ? await draftsFor(caller, context) : null;
      return (configuration, id) => draft && visibility.reach(draft(configuration), 'agent', id);
    },
    /** Returns null during an outage, so that keys can still be listed. */
    agentsToShow: (caller: Principal, rows: readonly KeyRow[]): Promise<ShownAgents> =>
      findCurrentAgents(caller, rows).catch(unknownDuring(isUnavailable)),
    /**
     * Returns the default agent of a key that was just saved; null if it is unknown, since the
     * request must not start over.
     */
    agentsOfSaved: (caller: Principal, row: KeyRow): Promise<ShownAgents> =>
      findCurrentAgents(caller, [row], true).catch(
        unknownDuring((error) => isUnavailable(error) || error instanceof ConcurrentUpdate),
      ),
  };
}

/**
 * Creates the function that returns whether a key can use agents in any configuration: a person's
 * key in an organization has no capability that its person's roles there do not have now (C3). Those
 * of an organization's key are limited when it is given them.
 */
const createMayUseAgents = ({ delegation }: Pick<DefaultAgentsDependencies, 'delegation'>) =>
  async function mayUseAgents(
    caller: Principal,
    { owner, runs_in, team_ids }: KeyContext,
  ): Promise<boolean> {
    if (runs_in === null || owner.kind === 'organization') return true;
    const member = await delegation.findGrantor(caller, runs_in);
    if (member === null) return false;
    const unreachable = await delegation.findUnreachableTeams(member, team_ids ?? []);
    const problems = await delegation.problems(member, {
      ...{ permissions: [], capabilities: [{ name: 'agents', pointer: '' }] },
      team_ids: team_ids?.filter((id) => !unreachable.has(id)) ?? null,
      acts_for_member: true,
    });
    return problems.length === 0;
  };

const isUnavailable = (error: unknown) => asRefusal(error)?.kind === 'unavailable';

/** Returns a handler that turns the errors during which agents are unknown into null. */
const unknownDuring = (isExpected: (error: unknown) => boolean) => (error: unknown) => {
  if (isExpected(error)) return null;
  throw error;
};

/**
 * Creates a function that leaves out agents of teams that the caller is not in; an organization's
 * keys may reach these.
 */
const createKnownAgents =
  ({ teams }: Pick<DefaultAgentsDependencies, 'teams'>) =>
  async (
    caller: Principal,
    organization_id: string | null,
    agents: readonly (readonly [string, AgentItem])[],
  ) => {
    const isOfTeam = ({ space_id }: AgentItem) => space_id !== organization_id;
    if (organization_id === null || !agents.some(([, agent]) => isOfTeam(agent))) return agents;
    const inside = await teams.idsInside(caller, organization_id);
    return agents.filter(([, agent]) => !isOfTeam(agent) || inside.has(agent.space_id));
  };

/** Returns a key's default agent for its record; an unavailable agent is not identified (K3). */
export function shownAgent(row: KeyRow, agents: ShownAgents): KeyRecord['default_agent'] {
  if (row.default_agent_id === null) return null;
  if (agents === null) return { available: null };
  const agent = agents.get(row.id);
  return agent === undefined ? { available: false } : { id: agent.id, name: agent.name };
}
