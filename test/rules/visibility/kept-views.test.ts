import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeptViews } from '../../../src/visibility/kept-views.ts';
import { prefixOf } from '../../../src/visibility/place.ts';
import type { Place } from '../../../src/visibility/place.ts';
import type { SpaceContents, View } from '../../../src/visibility/visibility.ts';

const space = (): SpaceContents => ({
  selected_tools: new Set(),
  selected_prompts: new Set(),
  items: [],
  held: new Set(),
});

const keyOf = (id: string) => ({
  credential: { kind: 'api_key' as const, id },
});

const subsetOf = (...names: string[]) => fc.subarray(names).map((list) => new Set(list));
const policy = fc.record(
  {
    mode: fc.constantFrom('all', 'whitelist', 'blacklist'),
    tools: fc.subarray(['a', 'b']),
    custom_tools: fc.option(fc.subarray(['a', 'b'])),
  },
  { requiredKeys: ['mode'] },
);
const told = fc.record({
  connected: fc.boolean(),
  capabilities: subsetOf('tools', 'agents'),
  permissions: subsetOf('can_view_prompts', 'can_create_prompts'),
  policies: fc.record({ tool: policy, prompt: policy, resource: policy, agent: policy }),
});
const prefix = prefixOf({ kind: 'personal' });
const placeOf = (contents: SpaceContents, space_id: string): Place => ({
  ...{ space_id, contents, prefix },
  exposure: null,
});
const viewOf = (of: SpaceContents, fields: object, space_id = 'ada') =>
  ({
    ...structuredClone(fields),
    places: [placeOf(of, space_id)],
  }) as unknown as View;

type Told = typeof told extends fc.Arbitrary<infer Value> ? Value : never;

/** The first with one part of the second, or with none. */
const facts = ['connected', 'capabilities', 'permissions'] as const;
const policies = ['tool', 'prompt', 'resource', 'agent'] as const;
const parts = ['nothing', ...facts, ...policies] as const;
function mixed(first: Told, second: Told, part: (typeof parts)[number]): Told {
  if (part === 'nothing') return first;
  if (part in first.policies)
    return { ...first, policies: { ...first.policies, ...pick(second.policies, part) } };
  return { ...first, ...pick(second, part) };
}

const pick = (from: object, name: string) => ({ [name]: (from as Record<string, unknown>)[name] });

test('a view is kept while it says the same, and never where any part of it says another', () => {
  fc.assert(
    fc.property(told, told, fc.constantFrom(...parts), (first, second, part) => {
      const [keptView, of] = [createKeptViews(), space()];
      const before = keptView(keyOf('key'), viewOf(of, first));

      const later = viewOf(of, mixed(first, second, part));
      const after = keptView(keyOf('key'), later);

      expect(after).toStrictEqual(later);
      if (part === 'nothing') expect(after).toBe(before);
    }),
    { numRuns: 3_000 },
  );
});

test('another credential, and another state of the space, has a view of its own', () => {
  const [keptView, of] = [createKeptViews(), space()];
  const all = { mode: 'all' };
  const fields = {
    connected: true,
    capabilities: new Set(['tools']),
    permissions: new Set(),
    policies: { tool: all, prompt: all, resource: all, agent: all },
  };
  const mine = keptView(keyOf('key'), viewOf(of, fields));

  expect(keptView(keyOf('other'), viewOf(of, fields))).not.toBe(mine);
  const later = space();
  expect(keptView(keyOf('key'), viewOf(later, fields)).places[0].contents).toBe(later);
});

test('of one space views are kept by what their policies hold, those used last', () => {
  const [keptView, of] = [createKeptViews({ mostOfOne: 100_000 }), space()];
  const patterns = ['x'.repeat(40_000)];
  const fields = {
    connected: true,
    capabilities: new Set(),
    permissions: new Set(),
    policies: { tool: {}, prompt: {}, resource: { mode: 'whitelist', patterns }, agent: {} },
  };
  const view = (key: string) => keptView(keyOf(key), viewOf(of, fields));
  const first = ['a', 'b', 'c'].map(view);

  expect(view('b')).toBe(first[1]);
  expect(view('c')).toBe(first[2]);
  expect(view('a')).not.toBe(first[0]);
});

test('views that were added to an account count for all accounts together', () => {
  const [keptView, of] = [createKeptViews({ most: 100_000 }), space()];
  const patterns = ['x'.repeat(30_000)];
  const fields = {
    connected: true,
    capabilities: new Set(),
    permissions: new Set(),
    policies: { tool: {}, prompt: {}, resource: { mode: 'whitelist', patterns }, agent: {} },
  };
  const view = (key: string, account: string) => keptView(keyOf(key), viewOf(of, fields, account));
  const [first, second] = [view('a', 'ada'), view('b', 'ada')];
  expect(view('a', 'ada')).toBe(first);
  expect(view('b', 'ada')).toBe(second);

  view('c', 'ben');

  expect(view('a', 'ada')).not.toBe(first);
});

test('of all accounts together no more is kept than there is room for, spaces among it', () => {
  const keptView = createKeptViews({ most: 100_000 });
  const all = { mode: 'all' };
  const fields = {
    connected: true,
    capabilities: new Set(),
    permissions: new Set(),
    policies: { tool: all, prompt: all, resource: all, agent: all },
  };
  const of = { ...space(), items: [{ head: 'x'.repeat(30_000) }] } as unknown as SpaceContents;
  const view = (account: string) => keptView(keyOf('key'), viewOf(of, fields, account));
  const first = ['ada', 'ben', 'cleo'].map(view);

  expect(view('cleo')).toBe(first[2]);
  expect(view('ben')).toBe(first[1]);
  expect(view('ada')).not.toBe(first[0]);
});

test('credentials of one person in several places do not evict each other', () => {
  const keptView = createKeptViews();
  const all = { mode: 'all' };
  const fields = {
    connected: true,
    capabilities: new Set(),
    permissions: new Set(),
    policies: { tool: all, prompt: all, resource: all, agent: all },
  };
  const [own, catalog, member] = [space(), space(), space()];
  const personal = () => keptView(keyOf('personal'), viewOf(own, fields, 'ada'));
  const inOrganization = (mine: SpaceContents) =>
    keptView(keyOf('scoped'), {
      ...viewOf(catalog, fields, 'acme'),
      places: [placeOf(catalog, 'acme'), placeOf(mine, 'ada in acme')],
    });
  const first = [personal(), inOrganization(member)];

  expect([personal(), inOrganization(member)]).toStrictEqual(first);
  expect(personal()).toBe(first[0]);
  expect(inOrganization(member)).toBe(first[1]);
  expect(inOrganization(space())).not.toBe(first[1]);
});
