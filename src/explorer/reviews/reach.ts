import { capabilities } from '../../authz/permissions.ts';
import type { Capability } from '../../authz/permissions.ts';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import { families } from '../../content/items/schema.ts';
import { admittedView } from '../../keys/keys.ts';
import type { View } from '../../visibility/visibility.ts';
import { OPEN, runsIn } from '../access.ts';
import type { Found, Look } from '../look.ts';
import { teamClass } from '../permissions/holders.ts';
import { candidateTeams } from '../subjects/record.ts';
import type { SubjectRow } from '../subjects/store.ts';
import type { Classes, Counts, Reached, ReviewedItem } from './classes.ts';

/** How one look decides. */
export interface Deciding {
  look: Look;
  once: Classes['once'];
  principalOf(row: SubjectRow): Promise<Found>;
  /** Runs what asks OpenFGA for much. */
  oneByOne<Value>(run: () => Promise<Value>): Promise<Value>;
}

const plural = {
  tool: 'tools',
  prompt: 'prompts',
  resource: 'resources',
  agent: 'agents',
} as const;
const NO_ITEMS: Counts = { tools: 0, prompts: 0, resources: 0, agents: 0 };

/** Creates the function that returns what a subject can use. */
export function createReach({ look, once, principalOf, oneByOne }: Deciding) {
  const { organization_id } = look;

  /** Returns the capabilities that a member's roles have, or those in a team. */
  const capabilitiesIn = (row: SubjectRow, team_id: string | null) =>
    once(
      team_id === null ? `capabilities ${row.home}` : `capabilities ${teamClass(row, team_id)}`,
      { row, onContent: false },
      async () => {
        const { principal } = await principalOf(row);
        const object =
          team_id === null
            ? contextIn('organization', principal, { organization_id })!
            : teamSeatIn(principal, { team_id })!;
        const checks = capabilities.map((name) => ({ object, relation: `role_mcp_${name}` }));
        const answers = await oneByOne(() => look.checkEach(principal, checks));
        return new Set(capabilities.filter((_, index) => answers[index]));
      },
    );

  async function capabilitiesOfMember(row: SubjectRow): Promise<readonly Capability[]> {
    const places = [null, ...candidateTeams(row, [])];
    const held = await Promise.all(places.map((team_id) => capabilitiesIn(row, team_id)));
    return capabilities.filter((name) => held.some((names) => names.has(name)));
  }

  async function viewOf(row: SubjectRow): Promise<View | null> {
    const { principal, agent, credential } = await principalOf(row);
    if (agent !== null)
      return runsIn(agent, organization_id)
        ? oneByOne(() => admittedView(credential!, look.visibility.view))
        : null;
    const held = await capabilitiesOfMember(row);
    const { scopes, credential: session, person } = principal;
    const place = { scopes, credential: session, person, team_ids: null };
    const draft = await look.visibility.draftsIn(place);
    const view = draft({ ...OPEN, mcp_capabilities: held });
    return look.visibility.precomputed(organization_id, view);
  }

  return async function reach(row: SubjectRow): Promise<Reached> {
    const view = await viewOf(row);
    if (view === null) return { capabilities: [], items: [], own: NO_ITEMS };
    const own = { ...NO_ITEMS };
    const items: ReviewedItem[] = [];
    for (const family of families)
      for (const { id, name, space_id } of look.visibility.list(view, family)) {
        const isShared =
          space_id === null || space_id === organization_id || look.teams.has(space_id);
        if (isShared) items.push([plural[family], id, name, space_id]);
        else own[plural[family]] += 1;
      }
    const held = capabilities.filter((name) => view.capabilities.has(name));
    return { capabilities: held, items, own };
  };
}
