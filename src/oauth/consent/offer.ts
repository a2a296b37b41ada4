import { capabilityByScope, scopeOfCapability } from '../../authz/permissions.ts';
import type { Capability } from '../../authz/permissions.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { ScopeState } from '../../caller/scope.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { AgentItem, View } from '../../visibility/visibility.ts';
import type { OAuthClient } from '../clients/clients.ts';
import type { Interaction } from '../server/server.ts';
import type { ConsentDependencies } from './dependencies.ts';
import { findOrganizationName, listTeamNames } from './store.ts';
import type { TeamName } from './store.ts';
import { createUnavailable } from './unavailable.ts';
import type { Member } from './unavailable.ts';

/** Why a person can only deny a client. */
export type RefusedBecause = 'not_a_member' | 'organization_suspended';

/** What a client requests of one person, and what that person may choose from. */
export interface Offer {
  interaction: Interaction;
  /** As it is to work: a built-in client, in the organization that the request names. */
  client: OAuthClient;
  /** The organization in which it is to work; null if it is none that the person may know of. */
  organization: { id: string; name: string } | null;
  refused: RefusedBecause | null;
  /** Requested scopes that the client may have now. */
  scopes: readonly string[];
  /** Those that the person does not hold: no team and no role of theirs has the permission. */
  unavailable: ReadonlyMap<string, Problem>;
  follows_teams: boolean;
  /** The teams that it can be bound to. */
  teams: readonly TeamName[];
  /** Returns the agents that a connection with these scopes and teams can reach. */
  agentsWith(
    scopes: readonly string[],
    team_ids: readonly string[] | null,
  ): Promise<readonly AgentItem[]>;
  /** The scopes that the offer was read from. */
  basis: readonly ScopeState[];
}

/** Returns the teams that a client can be bound to, of those that the member reaches. */
async function teamsOf(
  { database, delegation }: Pick<ConsentDependencies, 'database' | 'delegation'>,
  client: OAuthClient,
  member: Member,
): Promise<readonly TeamName[]> {
  const { id } = member.organization;
  if (client.team_ids === null)
    return listTeamNames(database.pool, id, await delegation.findReachableTeams(member));
  const unreachable = await delegation.findUnreachableTeams(member, client.team_ids);
  const reachable = client.team_ids.filter((team_id) => !unreachable.has(team_id));
  return listTeamNames(database.pool, id, reachable);
}

/** Returns a client with the organization in which it is to work; a built-in one may work anywhere. */
const placed = (client: OAuthClient, { organization_id }: Interaction): OAuthClient =>
  client.owner.kind === 'service' ? { ...client, organization_id } : client;

/** Returns the organization of a placed client; only members learn the name of another's. */
async function organizationOf(
  { database }: Pick<ConsentDependencies, 'database'>,
  { owner, organization_id: id }: OAuthClient,
  member: Member | null,
) {
  if (owner.kind === 'organization') return { id: owner.id, name: owner.name! };
  const name = member === null ? null : await findOrganizationName(database.pool, id!);
  return name === null ? null : { id: id!, name };
}

/** Creates the function that reads what a person can decide on. Throws 404 if that has ended. */
export function createOffers(dependencies: ConsentDependencies) {
  const { clients, delegation, visibility } = dependencies;
  const agentsOf = (view: View) => visibility.list(view, 'agent');

  const unavailableOf = createUnavailable(delegation);

  const personalOffer = (caller: SessionPrincipal) => ({
    ...{ refused: null, organization: null, follows_teams: false, teams: [] },
    basis: caller.scopes,
    unavailable: new Map<string, Problem>(),
    async agentsWith(scopes: readonly string[]) {
      if (!scopes.includes(AGENTS)) return [];
      const view = await visibility.drafts(caller);
      return agentsOf(view(configurationOf(capabilitiesIn(scopes))));
    },
  });

  async function organizationOffer(
    client: OAuthClient,
    caller: SessionPrincipal,
    requested: readonly string[],
  ) {
    const organization_id = client.organization_id!;
    const member = await delegation.findMember({ organization_id, account_id: caller.person });
    const organization = await organizationOf(dependencies, client, member);
    if (member === null || member.organization.status === 'suspended')
      return {
        ...{ organization, follows_teams: false, teams: [], basis: caller.scopes },
        agentsWith: async () => [],
        unavailable: new Map<string, Problem>(),
        refused: member === null ? ('not_a_member' as const) : ('organization_suspended' as const),
      };
    const teams = await teamsOf(dependencies, client, member);
    const follows_teams = client.team_ids === null;
    const team_ids = follows_teams ? null : teams.map(({ id }) => id);
    return {
      ...{ refused: null, organization, follows_teams, teams, basis: member.scopes },
      unavailable: await unavailableOf(client, member, requested, team_ids),
      async agentsWith(scopes: readonly string[], bound_to: readonly string[] | null) {
        if (!scopes.includes(AGENTS)) return [];
        const used = scopes.filter((name) => capabilityByScope(name) !== null);
        const [view, unavailable] = await Promise.all([
          visibility.draftsIn({ ...member, person: caller.person, team_ids: bound_to }),
          unavailableOf(client, member, used, bound_to),
        ]);
        if (unavailable.has(AGENTS)) return [];
        const usable = used.filter((name) => !unavailable.has(name));
        return agentsOf(view(configurationOf(capabilitiesIn(usable))));
      },
    };
  }

  return async function offerFor(
    caller: SessionPrincipal,
    interaction: Interaction,
  ): Promise<Offer> {
    const found = await clients.find(interaction.client_id);
    if (found === null || found.disabled_at !== null)
      throw absent('the client was disabled or deleted');
    const client = placed(found, interaction);
    const ceiling = new Set(client.allowed_scopes);
    const scopes = interaction.scopes.filter((name) => ceiling.has(name));
    return {
      ...{ interaction, client, scopes },
      ...(client.organization_id === null
        ? personalOffer(caller)
        : await organizationOffer(client, caller, scopes)),
    };
  };
}

const AGENTS = scopeOfCapability('agents');
const ALL = { mode: 'all' };

const capabilitiesIn = (scopes: readonly string[]): Capability[] =>
  scopes.flatMap((name) => capabilityByScope(name) ?? []);

/** A connection has no policies of its own. */
const configurationOf = (mcp_capabilities: readonly Capability[]) => ({
  ...{ mcp_capabilities, tool_policy: ALL, resource_policy: ALL },
  ...{ prompt_policy: ALL, agent_policy: ALL },
});
