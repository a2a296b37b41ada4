import type { Capability } from '../authz/permissions.ts';
import type { ToolRequirement } from '../catalog/tool.ts';
import type { Family } from '../content/items/schema.ts';
import { admitsAgent } from '../policies/agent-policy.ts';
import { admitsPrompt } from '../policies/prompt-policy.ts';
import { admitsResource } from '../policies/resource-policy.ts';
import { admitsTool } from '../policies/tool-policy.ts';
import type { Item } from './item.ts';
import type { HiddenReason } from './schema.ts';
import type { Place, Policies } from './place.ts';

/** Everything that decides what one credential reaches, read for one request. */
export interface View {
  connected: boolean;
  capabilities: ReadonlySet<Capability>;
  /** Of the permissions that tools within reach need, those the caller holds. */
  permissions: ReadonlySet<string>;
  /** The first is home: its selection of built-in items counts. */
  places: readonly [Place, ...Place[]];
  policies: Policies;
}

/** Layer and reason are for the owner of the key and the log, never for the MCP caller. */
export type Decision = { outcome: 'allowed' } | Denial;
export interface Denial {
  outcome: 'denied';
  as: 'absent' | 'not_permitted' | 'capability';
  layer: Layer;
  reason: HiddenReason;
}
type Layer = 'absent' | 'capability' | 'selection' | 'policy';

/** What gates a family; system tools need none. */
const capabilityOf = {
  tool: 'tools',
  prompt: 'prompts',
  resource: 'resources',
  agent: 'agents',
} as const satisfies Record<Family, Capability>;

/** One thing that has to be so before an item may be had. */
interface Gate {
  layer: Layer;
  /** What to say where it is not so. */
  reason: HiddenReason;
  /** What is asked, of OpenFGA the relation; null: nothing, of this item. */
  rule(item: Item, place: Place): string | null;
  passes(view: View, item: Item): boolean;
  /** As what a denied item answers. */
  as(item: Item): Denial['as'];
}

/** Only of a tool a caller learns that it is there. */
const refusalOf = (item: Item) => (item.family === 'tool' ? 'not_permitted' : 'absent');

/** In the order in which they are asked. */
const gates: readonly Gate[] = [
  {
    layer: 'absent',
    reason: 'not_connected',
    rule: () => 'can_connect',
    passes: (view) => view.connected,
    as: () => 'absent',
  },
  {
    layer: 'capability',
    reason: 'capability_missing',
    rule: ({ family }) => capabilityRule(capabilityOf[family]),
    passes: (view, item) => view.capabilities.has(capabilityOf[item.family]),
    as: () => 'capability',
  },
  {
    layer: 'selection',
    reason: 'not_selected',
    rule: () => 'selected',
    passes: (view, item) => isSelected(placeOf(view, item), item),
    as: refusalOf,
  },
  // Agents are told nothing of a tool whose upstream describes it anew (B8-8).
  {
    layer: 'selection',
    reason: 'held',
    rule: (item) => (item.family === 'tool' && item.origin === 'custom' ? 'approved' : null),
    passes: (view, item) => !placeOf(view, item).contents.held.has(item.id),
    as: () => 'absent',
  },
  // Of an organization's catalog: designated organization-wide, or admitted by an active team.
  {
    layer: 'selection',
    reason: 'not_exposed',
    rule: (_item, { exposure }) => (exposure === null ? null : 'exposed'),
    passes: (view, item) => isExposed(placeOf(view, item), item),
    as: refusalOf,
  },
  {
    layer: 'policy',
    reason: 'key_policy',
    rule: ({ family }) => `${family}_policy`,
    passes: (view, item) => isAdmitted(view.policies, item),
    as: refusalOf,
  },
  // Of management tools: what one reads needs its capability, what it writes its permission.
  {
    layer: 'capability',
    reason: 'capability_missing',
    rule: (item) => capabilityRule(requirementOf(item).capability),
    passes: ({ capabilities }, item) => holds(capabilities, requirementOf(item).capability),
    as: () => 'capability',
  },
  {
    layer: 'capability',
    reason: 'permission_missing',
    rule: (item) => requirementOf(item).permission ?? null,
    passes: ({ permissions }, item) => holds(permissions, requirementOf(item).permission),
    as: () => 'capability',
  },
];

const requirementOf = (item: Item): ToolRequirement =>
  item.family === 'tool' ? item.requires : NOTHING;
const NOTHING: ToolRequirement = {};

const capabilityRule = (needed: Capability | undefined) =>
  needed === undefined ? null : `can_use_${needed}`;

const holds = <Name>(held: ReadonlySet<Name>, needed: Name | undefined) =>
  needed === undefined || held.has(needed);

/**
 * What follows for one item: the first no. List, call and preview ask here, so they cannot
 * disagree.
 */
export function decide(view: View, item: Item): Decision {
  for (const { layer, reason, passes, as } of gates)
    if (!passes(view, item)) return { outcome: 'denied', as: as(item), layer, reason };
  return ALLOWED;
}

/** What every gate says, for those who may see why (`decisions.md` 5). */
export const answersOf = (view: View, item: Item) =>
  gates.map(({ layer, reason, rule, passes }) => ({
    ...{ layer, reason },
    rule: rule(item, placeOf(view, item)),
    passes: passes(view, item),
  }));

/** Every no; none is an item that is allowed. */
export const reasonsAgainst = (view: View, item: Item): HiddenReason[] => [
  ...new Set(
    answersOf(view, item)
      .filter(({ passes }) => !passes)
      .map(({ reason }) => reason),
  ),
];

/** S8, P6: what comes with the gateway is there for those who selected it. */
function isSelected({ contents }: Place, item: Item): boolean {
  if (item.family === 'tool')
    return item.origin === 'custom' || contents.selected_tools.has(item.id);
  if (item.family === 'prompt' && item.origin === 'platform')
    return contents.selected_prompts.has(item.id);
  return true;
}

function isExposed({ exposure }: Place, item: Item): boolean {
  if (exposure === null || exposure.designated.has(item.id)) return true;
  return exposure.teams.some((policies) => isAdmitted(policies, item));
}

function isAdmitted(policies: Policies, item: Item): boolean {
  const { id, name } = item;
  if (item.family === 'tool')
    return admitsTool(policies.tool, {
      list: item.origin === 'custom' ? 'custom_tools' : 'tools',
      id,
    });
  if (item.family === 'resource') return admitsResource(policies.resource, name);
  if (item.family === 'agent') return admitsAgent(policies.agent, id);
  const list = item.origin === 'platform' ? 'platform_prompts' : 'prompts';
  return admitsPrompt(policies.prompt, { list, id });
}

/** Returns the place of an item; what comes with the gateway is at home. */
export const placeOf = ({ places }: Pick<View, 'places'>, { space_id }: Pick<Item, 'space_id'>) =>
  (space_id === null ? undefined : places.find((place) => place.space_id === space_id)) ??
  places[0];

const ALLOWED: Decision = { outcome: 'allowed' };
