import { matchedPattern } from '../policies/item-policies.ts';
import type { Policies } from '../policies/item-policies.ts';
import { isExposedBy, ruleResultsOf, placeOf } from './decide.ts';
import type { Denial, View } from './decide.ts';
import type { Item } from './item.ts';
import type { ExposingTeam, Exposure } from './place.ts';
import type { HiddenReason } from './schema.ts';

/** One rule about an item, with its outcome and the evidence. */
export interface Step {
  layer: 'relation' | 'selection' | 'policy';
  rule: string;
  outcome: 'allow' | 'deny';
  /** Why the item is hidden if the rule denies. */
  reason: HiddenReason;
  /** How the agent is told then. */
  as: Denial['as'];
  /** Empty for a relation, whose evidence is tuples. */
  evidence: Record<string, unknown>;
}

/** Explains every rule of `decide`, in order, to the credential's owner and never to its agent. */
export const explainItem = (view: View, item: Item): Step[] =>
  ruleResultsOf(view, item).flatMap(({ layer, rule, passes, reason, as }): Step[] => {
    if (rule === null) return [];
    const explainedLayer = layer === 'absent' || layer === 'capability' ? 'relation' : layer;
    const outcome = passes ? 'allow' : 'deny';
    const evidence = evidenceOf[layer](view, item);
    return [{ layer: explainedLayer, rule, outcome, reason, as, evidence }];
  });

const evidenceOf = {
  absent: () => ({}),
  capability: () => ({}),
  selection(view: View, item: Item) {
    const { contents, exposure } = placeOf(view, item);
    const { selected_tools, selected_prompts, quarantined: held } = contents;
    return {
      ...(isBuiltIn(item)
        ? { selected: selected_tools.has(item.id) || selected_prompts.has(item.id) }
        : { own: true, ...(held.has(item.id) ? { held: true } : {}) }),
      ...(exposure === null ? {} : exposureOf(exposure, item)),
    };
  },
  policy: ({ policies }: View, item: Item) => ({
    mode: policies[item.family].mode,
    ...entryOf(policies, item),
  }),
};

/** Names the active teams, and those of them that expose the item. */
const exposureOf = ({ designated, teams }: Exposure, item: Item) => ({
  organization_wide: designated.has(item.id),
  teams: listNames(teams),
  exposed_by: listNames(teams.filter((team) => isExposedBy(team, item))),
});

const listNames = (teams: readonly ExposingTeam[]): string =>
  teams.length === 0 ? 'none' : teams.map(({ name }) => name).join(', ');

const isBuiltIn = (item: Item) =>
  (item.family === 'tool' && item.origin === 'builtin') ||
  (item.family === 'prompt' && item.origin === 'platform');

/** Returns the list that could name the item, and the entry that does, or null. */
function entryOf(policies: Policies, item: Item): { list: string; entry: string | null } {
  if (item.family === 'resource')
    return { list: 'patterns', entry: matchedPattern(policies.resource, item.name) };
  const [list, ids] = idsFor(policies, item);
  return { list, entry: ids?.includes(item.id) === true ? item.id : null };
}

function idsFor({ tool, prompt, agent }: Policies, item: Item): [string, string[] | undefined] {
  if (item.family === 'agent') return ['agents', agent.agents];
  if (item.family === 'tool')
    return isBuiltIn(item) ? ['tools', tool.tools] : ['custom_tools', tool.custom_tools];
  return isBuiltIn(item)
    ? ['platform_prompts', prompt.platform_prompts]
    : ['prompts', prompt.prompts];
}
