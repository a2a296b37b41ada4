import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createViewCache } from '../../../src/visibility/view-cache.ts';
import { prefixOf } from '../../../src/content/spaces/spaces.ts';
import type { Place } from '../../../src/visibility/place.ts';
import type { SpaceContents, View } from '../../../src/visibility/visibility.ts';

const space = (): SpaceContents => ({
  selected_tools: new Set(),
  selected_prompts: new Set(),
  items: [],
  quarantined: new Set(),
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
const policySet = fc.record({ tool: policy, prompt: policy, resource: policy, agent: policy });
const team = fc.record({
  id: fc.constantFrom('red', 'blue'),
  name: fc.constantFrom('red', 'blue'),
  policies: policySet,
});
const exposure = fc.record({
  designated: subsetOf('a', 'b'),
  teams: fc.array(team, { maxLength: 2 }),
});
const viewFields = fc.record({
  connected: fc.boolean(),
  exposure: fc.option(exposure),
  capabilities: subsetOf('tools', 'agents'),
  permissions: subsetOf('can_view_prompts', 'can_create_prompts'),
  policies: policySet,
});
const prefix = prefixOf({ kind: 'personal' });
const placeOf = (contents: SpaceContents, space_id: string): Place => ({
  ...{ space_id, contents, prefix },
  exposure: null,
});
function viewOf(contents: SpaceContents, fields: object, space_id = 'ada') {
  const { exposure: exposed = null, ...rest } = structuredClone(fields) as Partial<Place>;
  const places = [{ ...placeOf(contents, space_id), exposure: exposed }];
  return { ...rest, places } as unknown as View;
}

type ViewFields = typeof viewFields extends fc.Arbitrary<infer Value> ? Value : never;

/** Parts that `combine` takes from the second view; `nothing` takes none. */
const facts = ['connected', 'exposure', 'capabilities', 'permissions'] as const;
const policies = ['tool', 'prompt', 'resource', 'agent'] as const;
const parts = ['nothing', ...facts, ...policies] as const;
function combine(first: ViewFields, second: ViewFields, part: (typeof parts)[number]): ViewFields {
  if (part === 'nothing') return first;
  if (part in first.policies)
    return { ...first, policies: { ...first.policies, ...pick(second.policies, part) } };
  return { ...first, ...pick(second, part) };
}

const pick = (from: object, name: string) => ({ [name]: (from as Record<string, unknown>)[name] });

test('a cached view is returned only while every part of it is equal', () => {
  fc.assert(
    fc.property(viewFields, viewFields, fc.constantFrom(...parts), (first, second, part) => {
      const [cachedView, contents] = [createViewCache(), space()];
      const before = cachedView(keyOf('key'), viewOf(contents, first));

      const later = viewOf(contents, combine(first, second, part));
      const after = cachedView(keyOf('key'), later);

      expect(after).toStrictEqual(later);
      if (part === 'nothing') expect(after).toBe(before);
    }),
    { numRuns: 3_000 },
  );
});

test('each credential and each state of the space has its own view', () => {
  const [cachedView, contents] = [createViewCache(), space()];
  const all = { mode: 'all' };
  const fields = {
    connected: true,
    capabilities: new Set(['tools']),
    permissions: new Set(),
    policies: { tool: all, prompt: all, resource: all, agent: all },
  };
  const mine = cachedView(keyOf('key'), viewOf(contents, fields));

  expect(cachedView(keyOf('other'), viewOf(contents, fields))).not.toBe(mine);
  const later = space();
  expect(cachedView(keyOf('key'), viewOf(later, fields)).places[0].contents).toBe(later);
});

test('views of one space are evicted by the size of their policies, least recently used first', () => {
  const [cachedView, contents] = [createViewCache({ maxSizePerHome: 100_000 }), space()];
  const patterns = ['x'.repeat(40_000)];
  const fields = {
    connected: true,
    capabilities: new Set(),
    permissions: new Set(),
    policies: { tool: {}, prompt: {}, resource: { mode: 'whitelist', patterns }, agent: {} },
  };
  const view = (key: string) => cachedView(keyOf(key), viewOf(contents, fields));
  const first = ['a', 'b', 'c'].map(view);

  expect(view('b')).toBe(first[1]);
  expect(view('c')).toBe(first[2]);
  expect(view('a')).not.toBe(first[0]);
});

test('views added to an account count toward the limit of all accounts', () => {
  const [cachedView, contents] = [createViewCache({ maxSize: 100_000 }), space()];
  const patterns = ['x'.repeat(30_000)];
  const fields = {
    connected: true,
    capabilities: new Set(),
    permissions: new Set(),
    policies: { tool: {}, prompt: {}, resource: { mode: 'whitelist', patterns }, agent: {} },
  };
  const view = (key: string, account: string) =>
    cachedView(keyOf(key), viewOf(contents, fields, account));
  const [first, second] = [view('a', 'ada'), view('b', 'ada')];
  expect(view('a', 'ada')).toBe(first);
  expect(view('b', 'ada')).toBe(second);

  view('c', 'ben');

  expect(view('a', 'ada')).not.toBe(first);
});

test('the cache of all accounts stays within its limit, which includes spaces', () => {
  const cachedView = createViewCache({ maxSize: 100_000 });
  const all = { mode: 'all' };
  const fields = {
    connected: true,
    capabilities: new Set(),
    permissions: new Set(),
    policies: { tool: all, prompt: all, resource: all, agent: all },
  };
  const contents = {
    ...space(),
    items: [{ head: 'x'.repeat(30_000) }],
  } as unknown as SpaceContents;
  const view = (account: string) => cachedView(keyOf('key'), viewOf(contents, fields, account));
  const first = ['ada', 'ben', 'cleo'].map(view);

  expect(view('cleo')).toBe(first[2]);
  expect(view('ben')).toBe(first[1]);
  expect(view('ada')).not.toBe(first[0]);
});

test('credentials of one person in several places do not evict each other', () => {
  const cachedView = createViewCache();
  const all = { mode: 'all' };
  const fields = {
    connected: true,
    capabilities: new Set(),
    permissions: new Set(),
    policies: { tool: all, prompt: all, resource: all, agent: all },
  };
  const [own, catalog, member] = [space(), space(), space()];
  const personal = () => cachedView(keyOf('personal'), viewOf(own, fields, 'ada'));
  const inOrganization = (mine: SpaceContents) =>
    cachedView(keyOf('scoped'), {
      ...viewOf(catalog, fields, 'acme'),
      places: [placeOf(catalog, 'acme'), placeOf(mine, 'ada in acme')],
    });
  const first = [personal(), inOrganization(member)];

  expect([personal(), inOrganization(member)]).toStrictEqual(first);
  expect(personal()).toBe(first[0]);
  expect(inOrganization(member)).toBe(first[1]);
  expect(inOrganization(space())).not.toBe(first[1]);
});
