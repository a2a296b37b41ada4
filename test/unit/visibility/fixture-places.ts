import type { StoredItem } from '../../../src/content/items/items.ts';
import { TeamName } from '../../../src/policies/item-name.ts';
import type { Policies } from '../../../src/policies/item-policies.ts';
import { createVisibility } from '../../../src/visibility/visibility.ts';
import type { SpaceContents, View } from '../../../src/visibility/visibility.ts';
import { prefixOf } from '../../../src/content/spaces/spaces.ts';
import type { ExposingTeam, Exposure, Place } from '../../../src/visibility/place.ts';
import { noOrganizations } from '../../support/worlds/no-organizations.ts';

export const all: Policies = {
  tool: { mode: 'all' },
  prompt: { mode: 'all' },
  resource: { mode: 'all' },
  agent: { mode: 'all' },
};
export const none: Policies = {
  tool: { mode: 'whitelist', tools: [], custom_tools: [] },
  prompt: { mode: 'whitelist', prompts: [] },
  resource: { mode: 'whitelist', patterns: [] },
  agent: { mode: 'whitelist', agents: [] },
};

/** A team that exposes what the policies admit. */
export const teamWith = (policies: Policies): ExposingTeam => ({
  ...{ id: 'red', name: TeamName.parse('red'), policies },
});

export const families = ['tool', 'prompt', 'resource', 'agent'] as const;
type Family = (typeof families)[number];
const heads: Record<Family, object> = {
  tool: { kind: 'http', title: null, description: '', input_schema: {}, annotations: {} },
  prompt: { title: null, description: null, arguments: [] },
  resource: { title: null, description: null, mime_type: 'text/plain', size: 1 },
  agent: { description: '', components: [] },
};

const item = (space_id: string, family: Family, name: string): StoredItem => ({
  ...{ id: `${family} ${name} of ${space_id}`, space_id, family, name, version: 1 },
  head: { ...heads[family] },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  organization_wide: null,
});

const contentsOf = (space_id: string, names: readonly string[]): SpaceContents => ({
  selected_tools: new Set(),
  selected_prompts: new Set(),
  items: names.flatMap((name) => families.map((family) => item(space_id, family, name))),
  quarantined: new Set(),
});

export const red = { kind: 'team', name: TeamName.parse('red') } as const;

/** Creates a place whose space has an item of each family by each of these names. */
export const placeOf = (
  space: Parameters<typeof prefixOf>[0],
  exposure: Exposure | null,
  names: readonly string[] = ['x'],
): Place => ({
  ...{ space_id: space.kind, contents: contentsOf(space.kind, names), exposure },
  prefix: prefixOf(space),
});

const generation = {};
export const visibility = createVisibility({
  organizations: noOrganizations,
  authz: {
    checkEach: async () => [],
    requireCurrent: async () => {},
    context: async () => ({ connected: true, capabilities: new Set(), active: new Set() }),
    check: async () => new Map<string, boolean>(),
    generation: () => generation,
  },
  catalog: { tools: () => [], prompts: () => [], version: 'v1' },
  readContents: async () => contentsOf('personal', []),
  runnable: () => ({ timeout_ms: 1_000, run: async () => ({}) }),
  cached: true,
});

export const viewOf = (places: View['places'], policies = all): View => ({
  connected: true,
  capabilities: new Set(['tools', 'prompts', 'resources', 'agents'] as const),
  permissions: new Set(),
  ...{ places, policies },
});
