import type { Capability } from '../authz/permissions.ts';
import type { ToolRequirement } from '../catalog/catalog.ts';
import type { Family } from '../content/items/schema.ts';
import {
  admitsAgent,
  admitsPrompt,
  admitsResource,
  admitsTool,
} from '../policies/item-policies.ts';
import type { Policies } from '../policies/item-policies.ts';
import type { Item } from './item.ts';
import type { HiddenReason } from './schema.ts';
import type { ExposingTeam, Place } from './place.ts';

/** Everything that decides what a credential can access, for one request. */
export interface View {
  connected: boolean;
  capabilities: ReadonlySet<Capability>;
  /** Of the permissions that reachable tools need, those that the caller holds. */
  permissions: ReadonlySet<string>;
  /** The first place is the home, whose selection of built-in items applies. */
  places: readonly [Place, ...Place[]];
  policies: Policies;
}

/** `layer` and `reason` are for the key's owner and the log, never for the MCP caller. */
export type Decision = { outcome: 'allowed' } | Denial;
export interface Denial {
  outcome: 'denied';
  as: 'absent' | 'not_permitted' | 'capability';
  layer: Layer;
  reason: HiddenReason;
}
type Layer = 'absent' | 'capability' | 'selection' | 'policy';

/** Capability needed for each family; system tools do not need one. */
export const capabilityOf = {
  tool: 'tools',
  prompt: 'prompts',
  resource: 'resources',
  agent: 'agents',
} as const satisfies Record<Family, Capability>;

/** A condition for access to an item. */
interface AccessRule {
  layer: Layer;
  /** Reason if it fails. */
  reason: HiddenReason;
  /** Name of the rule (in OpenFGA, the relation); null if the rule does not apply to the item. */
  rule(item: Item, place: Place): string | null;
  passes(view: View, item: Item): boolean;
  /** How the denied item is reported to the caller. */
  as(item: Item): Denial['as'];
}

/** Only tools reveal that they exist. */
const deniedAs = (item: Item) => (item.family === 'tool' ? 'not_permitted' : 'absent');

/** Checked in this order. */
const accessRules: readonly AccessRule[] = [
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
    as: deniedAs,
  },
  // Quarantined items are not revealed to agents (B8-8).
  {
    layer: 'selection',
    reason: 'held',
    rule: (item) => (mayBeQuarantined(item) ? 'approved' : null),
    passes: (view, item) => !placeOf(view, item).contents.quarantined.has(item.id),
    as: () => 'absent',
  },
  // Catalog items of an organization: designated organization-wide or allowed by an active team.
  {
    layer: 'selection',
    reason: 'not_exposed',
    rule: (_item, { exposure }) => (exposure === null ? null : 'exposed'),
    passes: (view, item) => isExposed(placeOf(view, item), item),
    as: deniedAs,
  },
  {
    layer: 'policy',
    reason: 'key_policy',
    rule: ({ family }) => `${family}_policy`,
    passes: (view, item) => isAdmittedByPolicy(view.policies, item),
    as: deniedAs,
  },
  // Management tools also need the capability for the items that they read, and the permission for
  // those that they write.
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

const mayBeQuarantined = (item: Item): boolean =>
  item.family === 'tool'
    ? item.origin === 'custom'
    : item.family !== 'agent' && item.upstream !== undefined;

/** Returns the capabilities that the item needs and the credential lacks. */
export const missingCapabilities = ({ capabilities }: View, item: Item): Capability[] =>
  [capabilityOf[item.family], requirementOf(item).capability].filter(
    (needed) => needed !== undefined && !capabilities.has(needed),
  ) as Capability[];

const requirementOf = (item: Item): ToolRequirement =>
  item.family === 'tool' ? item.requires : NOTHING;
const NOTHING: ToolRequirement = {};

const capabilityRule = (needed: Capability | undefined) =>
  needed === undefined ? null : `can_use_${needed}`;

const holds = <Name>(held: ReadonlySet<Name>, needed: Name | undefined) =>
  needed === undefined || held.has(needed);

/**
 * Decides on one item: the first rule that fails denies it. List, call and preview all use this, so
 * they cannot disagree.
 */
export function decide(view: View, item: Item): Decision {
  for (const { layer, reason, passes, as } of accessRules)
    if (!passes(view, item)) return { outcome: 'denied', as: as(item), layer, reason };
  return ALLOWED;
}

/** Returns the result of every rule, for people who may see the reasons (decisions 5). */
export const ruleResultsOf = (view: View, item: Item) =>
  accessRules.map(({ layer, reason, rule, passes, as }) => ({
    ...{ layer, reason, as: as(item) },
    rule: rule(item, placeOf(view, item)),
    passes: passes(view, item),
  }));

/** Returns every reason to deny the item; an empty list if it is allowed. */
export const reasonsAgainst = (view: View, item: Item): HiddenReason[] => [
  ...new Set(
    ruleResultsOf(view, item)
      .filter(({ passes }) => !passes)
      .map(({ reason }) => reason),
  ),
];

/** S8, P6: built-in items must be selected. */
function isSelected({ contents }: Place, item: Item): boolean {
  if (item.family === 'tool')
    return item.origin === 'custom' || contents.selected_tools.has(item.id);
  if (item.family === 'prompt' && item.origin === 'platform')
    return contents.selected_prompts.has(item.id);
  return true;
}

function isExposed({ exposure }: Place, item: Item): boolean {
  if (exposure === null || exposure.designated.has(item.id)) return true;
  return exposure.teams.some((team) => isExposedBy(team, item));
}

/** Returns whether a team exposes an item of its organization's catalog. */
export const isExposedBy = ({ policies }: ExposingTeam, item: Item): boolean =>
  isAdmittedByPolicy(policies, item);

function isAdmittedByPolicy(policies: Policies, item: Item): boolean {
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

/**
 * Returns an item's place; built-in items belong to the home. Throws if the view lacks the space.
 */
export function placeOf(
  { places }: Pick<View, 'places'>,
  { space_id }: Pick<Item, 'space_id'>,
): Place {
  if (space_id === null) return places[0];
  const found = places.find((place) => place.space_id === space_id);
  if (found === undefined) throw new TypeError(`The view does not include the space ${space_id}.`);
  return found;
}

const ALLOWED: Decision = { outcome: 'allowed' };
