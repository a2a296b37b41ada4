import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, PURE } from '../../../src/catalog/tool.ts';
import type { Capability } from '../../../src/authz/permissions.ts';
import type { ApiKeyPrincipal } from '../../../src/caller/principal.ts';
import { createVisibility } from '../../../src/visibility/visibility.ts';
import type { ToolPolicy } from '../../../src/policies/item-policies.ts';
import type { SpaceContents, View } from '../../../src/visibility/visibility.ts';
import { prefixOf } from '../../../src/content/spaces/spaces.ts';
import type { Place } from '../../../src/visibility/place.ts';
import { openPolicies } from '../../support/worlds/policies.ts';
import { noCustomTools } from '../../support/worlds/no-custom-tools.ts';
import { noOrganizations } from '../../support/worlds/no-organizations.ts';

const generation = {};
const caller: ApiKeyPrincipal = {
  credential: { kind: 'api_key', id: 'k' },
  subject: 'api_key:k',
  context: 'account:u',
  person: 'u',
  quota_owner: { kind: 'account', id: 'u', plan: 'free' },
  organization: null,
  scopes: [{ kind: 'account', id: 'u', revision: 1, applied: 1, nonce: 's', content: 0 }],
  ...openPolicies,
  default_agent_id: null,
  team_ids: null,
  audit_arguments: false,
  restrictions: null,
  tool_listing: 'all',
};
const toolNamed = (name: string, deprecated = false) =>
  defineTool({
    id: `id of ${name}`,
    name,
    title: name,
    description: `Does ${name}.`,
    input: z.object({}),
    output: z.object({}),
    annotations: PURE,
    timeout_ms: 1_000,
    deprecated,
    examples: [],
    run: () => ({}),
  });
const current = ['add', 'count', 'sort'].map((name) => toolNamed(name));
const [first, second] = current;
const ids = current.map(({ id }) => id);
const catalog = {
  tools: () => [...current, toolNamed('old', true)],
  prompts: () => [],
  version: 'v1',
};
const spaceWith = (selected: ReadonlySet<string>): SpaceContents => ({
  selected_tools: selected,
  selected_prompts: new Set(),
  items: [],
  quarantined: new Set(),
});

const placeWith = (contents: SpaceContents, exposure: Place['exposure'] = null): Place => ({
  ...{ space_id: 'u', contents, exposure },
  prefix: prefixOf({ kind: exposure === null ? 'personal' : 'organization' }),
});

function setUp({ selected = new Set(ids), cached = true } = {}) {
  const reads: string[] = [];
  const visibility = createVisibility({
    organizations: noOrganizations,
    runnable: noCustomTools,
    authz: {
      checkEach: async () => [],
      requireCurrent: async () => {},
      generation: () => generation,
      context: async () => ({
        connected: true,
        capabilities: new Set<Capability>(['tools']),
        active: new Set(),
      }),
      check: async () => new Map<string, boolean>(),
    },
    catalog,
    async readContents(id) {
      reads.push(id);
      return spaceWith(selected);
    },
    cached,
  });
  return { visibility, reads };
}
interface Fields {
  connected?: boolean;
  capabilities?: ReadonlySet<Capability>;
  selected?: ReadonlySet<string>;
  policy?: ToolPolicy;
}
const open = { mode: 'all' } as const;
const view = (fields: Fields = {}): View => ({
  connected: fields.connected ?? true,
  capabilities: fields.capabilities ?? new Set(['tools'] as const),
  permissions: new Set(),
  places: [placeWith(spaceWith(fields.selected ?? new Set(ids)))],
  policies: { tool: fields.policy ?? open, prompt: open, resource: open, agent: open },
});

test.each([
  ['allowed', {}],
  ['absent', { connected: false }],
  ['capability', { capabilities: new Set(['agents'] as const), selected: new Set<string>() }],
  ['not_permitted', { selected: new Set([second!.id]) }],
  ['not_permitted', { policy: { mode: 'whitelist' as const, tools: [second!.id] } }],
  ['not_permitted', { policy: { mode: 'blacklist' as const, tools: [first!.id] } }],
  ['allowed', { policy: { mode: 'blacklist' as const, tools: [second!.id] } }],
])('the decision is %s for %o (S4, S8, P5, C1)', (expected, fields) => {
  const { visibility } = setUp();
  const item = visibility.find(view(fields), 'tool', first!.name)!;

  const decision = visibility.decide(view(fields), item);

  expect(decision.outcome === 'allowed' ? 'allowed' : decision.as).toBe(expected);
});

test('a list shows exactly the items that may be called, for any view (rel:P2)', () => {
  const { visibility } = setUp();
  const views = fc.record({
    connected: fc.boolean(),
    capabilities: fc.subarray(['tools', 'agents'] as const).map((list) => new Set(list)),
    selected: fc.subarray(ids).map((list) => new Set(list)),
    policy: fc.record({
      mode: fc.constantFrom('all' as const, 'whitelist' as const, 'blacklist' as const),
      tools: fc.subarray(ids),
    }),
  });

  fc.assert(
    fc.property(views, (fields) => {
      const seen = visibility.list(view(fields), 'tool').map(({ name }) => name);
      const callable = current
        .map(({ name }) => visibility.find(view(fields), 'tool', name)!)
        .filter((item) => visibility.decide(view(fields), item).outcome === 'allowed');

      expect(seen).toEqual(callable.map(({ name }) => name));
    }),
    { numRuns: 200 },
  );
});

test('a deprecated tool is absent, whether selected or not', () => {
  const { visibility } = setUp({ selected: new Set([...ids, 'id of old']) });

  expect(visibility.find(view(), 'tool', 'old')).toBeNull();
  expect(visibility.list(view(), 'tool').map(({ name }) => name)).toEqual(['add', 'count', 'sort']);
});

test('an unknown name finds nothing, and neither does the name of an inherited property', () => {
  const { visibility } = setUp();

  for (const name of ['', '__proto__', 'constructor', 'nobody', first!.name.toUpperCase()])
    expect(visibility.find(view(), 'tool', name)).toBeNull();
});

test('a selection is read once for each state of its scope', async () => {
  const { visibility, reads } = setUp();
  const viewAt = (nonce: string, content: number) =>
    visibility.view({ ...caller, scopes: [{ ...caller.scopes[0]!, nonce, content }] });

  for (const [nonce, content] of [
    ['s', 0],
    ['s', 0],
    ['s', 1],
    ['t', 1],
    ['t', 1],
  ] as const)
    await viewAt(nonce, content);

  expect(reads).toHaveLength(3);
});

test('a list follows the current policy, regardless of earlier computations', async () => {
  const { visibility } = setUp();
  const listed = async (fields: Partial<typeof caller>) =>
    visibility.list(await visibility.view({ ...caller, ...fields }), 'tool').map(({ id }) => id);
  const only = (id: string) => ({ tool_policy: { mode: 'whitelist', tools: [id] } });

  expect(await listed({})).toEqual(ids);
  expect(await listed(only(first!.id))).toEqual([first!.id]);
  expect(await listed(only(second!.id))).toEqual([second!.id]);
  expect(await listed({})).toEqual(ids);
});

test('without the cache a selection is read every time', async () => {
  const { visibility, reads } = setUp({ cached: false });

  await visibility.view(caller);
  await visibility.view(caller);

  expect(reads).toHaveLength(2);
});

test.each([true, false])('a view is frozen only if requests share it: %s', async (cached) => {
  const { visibility } = setUp({ cached });
  const { places } = await visibility.view(caller);

  expect(Object.isFrozen(places)).toBe(cached);
});

test('an invalid stored policy fails the request', async () => {
  const { visibility } = setUp();

  for (const tool_policy of [null, {}, { mode: 'ALL' }, { mode: 'whitelist' }, 'all'])
    await expect(visibility.view({ ...caller, tool_policy })).rejects.toThrow(TypeError);
});

test('a selection that cannot be read fails the request and is read again', async () => {
  let isDown = true;
  const visibility = createVisibility({
    organizations: noOrganizations,
    runnable: noCustomTools,
    authz: {
      checkEach: async () => [],
      requireCurrent: async () => {},
      generation: () => generation,
      context: async () => ({
        connected: true,
        capabilities: new Set<Capability>(),
        active: new Set(),
      }),
      check: async () => new Map<string, boolean>(),
    },
    catalog,
    readContents: async () => {
      if (isDown) throw new Error('unreachable');
      return spaceWith(new Set(ids));
    },
    cached: true,
  });

  await expect(visibility.view(caller)).rejects.toThrow('unreachable');
  isDown = false;
  expect((await visibility.view(caller)).places[0].contents.selected_tools.size).toBe(ids.length);
});

test('a caller outside its organization has an empty view, even while OpenFGA cannot be trusted (A6)', async () => {
  const untrusted = () => {
    throw new Error('the store does not match');
  };
  const visibility = createVisibility({
    organizations: noOrganizations,
    runnable: noCustomTools,
    authz: {
      generation: untrusted,
      ...{ checkEach: untrusted, requireCurrent: untrusted, context: untrusted, check: untrusted },
    },
    catalog,
    readContents: untrusted,
    cached: true,
  });

  const outside = await visibility.view({ ...caller, context: 'membership:acme.u' });

  expect(outside).toMatchObject({ connected: false, capabilities: new Set() });
});
