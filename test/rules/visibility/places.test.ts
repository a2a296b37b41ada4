import { expect, test } from 'vitest';
import type { StoredItem } from '../../../src/content/items/items.ts';
import type { SpaceContents, View } from '../../../src/visibility/visibility.ts';
import { createVisibility } from '../../../src/visibility/visibility.ts';
import { prefixOf } from '../../../src/visibility/place.ts';
import type { Exposure, Place, Policies } from '../../../src/visibility/place.ts';

const all: Policies = {
  tool: { mode: 'all' },
  prompt: { mode: 'all' },
  resource: { mode: 'all' },
  agent: { mode: 'all' },
};
const none: Policies = {
  tool: { mode: 'whitelist', tools: [], custom_tools: [] },
  prompt: { mode: 'whitelist', prompts: [] },
  resource: { mode: 'whitelist', patterns: [] },
  agent: { mode: 'whitelist', agents: [] },
};

const families = ['tool', 'prompt', 'resource', 'agent'] as const;
type Family = (typeof families)[number];
const heads: Record<Family, object> = {
  tool: { kind: 'http', title: null, description: '', input_schema: {}, annotations: {} },
  prompt: { title: null, description: null, arguments: [] },
  resource: { title: null, description: null, mime_type: 'text/plain', size: 1 },
  agent: { description: '', components: [] },
};

const item = (space_id: string, family: Family): StoredItem => ({
  ...{ id: `${family} of ${space_id}`, space_id, family, name: 'x', version: 1 },
  head: { ...heads[family] },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
});

const contentsOf = (space_id: string): SpaceContents => ({
  selected_tools: new Set(),
  selected_prompts: new Set(),
  items: families.map((family) => item(space_id, family)),
  held: new Set(),
});

const placeOf = (space: Parameters<typeof prefixOf>[0], exposure: Exposure | null): Place => ({
  ...{ space_id: space.kind, contents: contentsOf(space.kind), exposure },
  prefix: prefixOf(space),
});

const visibility = createVisibility({
  authz: {
    context: async () => ({ connected: true, capabilities: new Set(), active: new Set() }),
    check: async () => new Map<string, boolean>(),
  },
  catalog: { tools: () => [], prompts: () => [], version: 'v1' },
  readContents: async () => contentsOf('personal'),
  runnable: () => ({ timeout_ms: 1_000, run: async () => ({}) }),
  cached: true,
});

const viewOf = (places: View['places'], policies = all): View => ({
  connected: true,
  capabilities: new Set(['tools', 'prompts', 'resources', 'agents'] as const),
  permissions: new Set(),
  ...{ places, policies },
});

const shown = (view: View) => ({
  tools: visibility.list(view, 'tool').map(({ name }) => name),
  prompts: visibility.list(view, 'prompt').map(({ name }) => name),
  resources: visibility.list(view, 'resource').map(({ uri }) => uri),
  agents: visibility.list(view, 'agent').map(({ name }) => name),
});
const nothing = { tools: [], prompts: [], resources: [], agents: [] };
const named = (tool: string, name: string, uri: string) => ({
  tools: [`${tool}x`],
  prompts: [`${name}x`],
  resources: [`${uri}x`],
  agents: [`${name}x`],
});

const team = { kind: 'team', name: 'red' } as const;
const designated = new Set(families.map((family) => `${family} of organization`));
const bare = named('', '', 'toolgate://org/');

test.each([
  ['personal: all of it', placeOf({ kind: 'personal' }, null), named('', '', 'toolgate://me/')],
  [
    'me/ in an organization: all of it',
    placeOf({ kind: 'member' }, null),
    named('me__', 'me/', 'toolgate://me/'),
  ],
  ['a team: all of it', placeOf(team, null), named('red__', 'red/', 'toolgate://team/red/')],
  [
    'the catalog: nothing by itself',
    placeOf({ kind: 'organization' }, { designated: new Set(), teams: [] }),
    nothing,
  ],
  [
    'the catalog: what is designated',
    placeOf({ kind: 'organization' }, { designated, teams: [] }),
    bare,
  ],
  [
    'the catalog: what is designated, whatever teams say',
    placeOf({ kind: 'organization' }, { designated, teams: [none] }),
    bare,
  ],
  [
    'the catalog: nothing a team refuses',
    placeOf({ kind: 'organization' }, { designated: new Set(), teams: [none] }),
    nothing,
  ],
  [
    'the catalog: what one of the teams admits',
    placeOf({ kind: 'organization' }, { designated: new Set(), teams: [none, all] }),
    bare,
  ],
])('%s', (_rule, place, expected) => {
  expect(shown(viewOf([place]))).toEqual(expected);
});

test('an item of the catalog that no team admits is answered like any excluded one', () => {
  const view = viewOf([
    placeOf({ kind: 'organization' }, { designated: new Set(), teams: [none] }),
  ]);
  const answers = families.map((family) => {
    const name = family === 'resource' ? 'toolgate://org/x' : 'x';
    const decision = visibility.decide(view, visibility.find(view, family, name)!);
    return decision.outcome === 'denied' ? [decision.as, decision.reason] : [];
  });

  expect(answers).toEqual([
    ['not_permitted', 'not_exposed'],
    ['absent', 'not_exposed'],
    ['absent', 'not_exposed'],
    ['absent', 'not_exposed'],
  ]);
});

test('a view of several places is their union, and the key filters all of it', () => {
  const places = [
    placeOf({ kind: 'organization' }, { designated, teams: [] }),
    placeOf(team, null),
    placeOf({ kind: 'member' }, null),
  ] as const;

  expect(shown(viewOf([...places]))).toEqual({
    tools: ['me__x', 'red__x', 'x'],
    prompts: ['me/x', 'red/x', 'x'],
    resources: expect.arrayContaining([
      'toolgate://org/x',
      'toolgate://team/red/x',
      'toolgate://me/x',
    ]),
    agents: ['me/x', 'red/x', 'x'],
  });
  expect(shown(viewOf([...places], none))).toEqual(nothing);
});
