import { expect, test } from 'vitest';
import type { Userset } from '@openfga/sdk';
import { loadModel } from '../../src/authz/engine/model.ts';
import { schemaOf } from './evaluator.ts';
import type { ModelShape, Schema } from './evaluator.ts';

const model = await loadModel();
const schema = schemaOf(model);
const service = ['org_key', 'machine'];
const personal = ['api_key', 'connection'];

test('the model has its three modules and 15 types', () => {
  const modules = new Set(model.type_definitions.map(({ metadata }) => metadata?.module ?? ''));

  expect(modules).toEqual(new Set(['core', 'organization', 'team']));
  expect(schema.size).toBe(15);
});

test('the model has no exclusion, condition or unknown rule', () => {
  expect(findExclusions(model)).toEqual([]);
  expect(model.conditions ?? {}).toEqual({});
});

test('every `x from y` refers to types that all have x, and y accepts plain objects only', () => {
  expect(findBrokenArrows(schema)).toEqual([]);
});

test('no relation depends on itself, and none is deeper than 8', () => {
  expect(findCycle(schema)).toBeNull();
  expect(depthOf(schema)).toBeLessThanOrEqual(8);
});

test('only everyone#any has wildcards, and it accepts nothing else', () => {
  expect(findWildcards(schema)).toEqual(['everyone#any']);
  expect([...(schema.get('everyone')?.get('any')?.subjects ?? [])]).toEqual([
    'user:*',
    'api_key:*',
    'connection:*',
  ]);
});

test('only account#session accepts a user: a session is not a credential (G7)', () => {
  expect(relationsAccepting(schema, ['user'])).toEqual(['account#session']);
});

test('a service credential is accepted by services and team seats, never by a person', () => {
  expect(typesOf(relationsAccepting(schema, service))).toEqual(['service', 'team_seat']);
});

test("a credential of a person is accepted by that person's context objects, never by a service", () => {
  expect(typesOf(relationsAccepting(schema, personal))).toEqual([
    'account',
    'membership',
    'team_seat',
  ]);
});

test('no key can carry a personal mcp_settings permission, because it has no grant name', () => {
  const accepting = relationsAccepting(schema, ['api_key']).filter((name) =>
    /^account#.*mcp_settings/.test(name),
  );

  expect(accepting).toEqual([]);
});

test('every relation is checked by requests or used by another one', () => {
  expect(findUnused(schema)).toEqual([]);
});

test('planted exclusions, unused relations, cycles and broken arrows are found', () => {
  const broken = structuredClone(model);
  const relations = (type: string) =>
    broken.type_definitions.find((one) => one.type === type)?.relations ?? {};
  relations('account')['idle'] = { this: {} };
  relations('account')['granted'] = {
    difference: { base: { this: {} }, subtract: { computedUserset: { relation: 'principal' } } },
  };
  relations('service')['bearer'] = { computedUserset: { relation: 'can_connect' } };
  relations('team_seat')['live'] = {
    tupleToUserset: {
      tupleset: { relation: 'holder' },
      computedUserset: { relation: 'participant' },
    },
  };
  const faulty = schemaOf(broken);

  expect(findExclusions(broken)).toEqual(['account#granted']);
  expect(findUnused(faulty)).toContain('account#idle');
  expect(findCycle(faulty)).not.toBeNull();
  expect(findBrokenArrows(faulty)).toEqual(['team_seat#live: service has no participant']);
});

function findExclusions(tested: ModelShape): string[] {
  return tested.type_definitions.flatMap(({ type, relations }) =>
    Object.entries(relations ?? {})
      .filter(([, rule]) => JSON.stringify(rule).includes('"difference"'))
      .map(([relation]) => `${type}#${relation}`),
  );
}

function findBrokenArrows(tested: Schema): string[] {
  return arrows(tested).flatMap(({ name, types, target }) =>
    types
      .filter((type) => /[#*]/.test(type) || !tested.get(type)?.has(target))
      .map((type) => `${name}: ${type} has no ${target}`),
  );
}

function arrows(tested: Schema): { name: string; types: string[]; target: string }[] {
  return entries(tested).flatMap(({ name, type, rule }) =>
    leaves(rule).flatMap(({ tupleToUserset }) => {
      if (!tupleToUserset) return [];
      const tupleset = tested.get(type)?.get(tupleToUserset.tupleset.relation ?? '');
      const target = tupleToUserset.computedUserset.relation ?? '';
      return [{ name, types: [...(tupleset?.subjects ?? ['nothing'])], target }];
    }),
  );
}

/** Returns the relations that a relation directly depends on. */
function dependenciesOf(tested: Schema, name: string): string[] {
  const [type = '', relation = ''] = name.split('#');
  const definition = tested.get(type)?.get(relation);
  const usersets = [...(definition?.subjects ?? [])].filter((subject) => subject.includes('#'));
  const parts = leaves(definition?.rule ?? {}).flatMap((leaf) => {
    if (leaf.computedUserset) return [`${type}#${leaf.computedUserset.relation}`];
    if (!leaf.tupleToUserset) return [];
    const { tupleset, computedUserset } = leaf.tupleToUserset;
    const parents = tested.get(type)?.get(tupleset.relation ?? '')?.subjects ?? [];
    return [
      `${type}#${tupleset.relation}`,
      ...[...parents].map((parent) => `${parent}#${computedUserset.relation}`),
    ];
  });
  return [...usersets, ...parts];
}

function findCycle(tested: Schema): string[] | null {
  const done = new Set<string>();
  const walk = (name: string, path: string[]): string[] | null => {
    if (path.includes(name)) return [...path, name];
    if (done.has(name)) return null;
    for (const next of dependenciesOf(tested, name)) {
      const cycle = walk(next, [...path, name]);
      if (cycle) return cycle;
    }
    done.add(name);
    return null;
  };
  return entries(tested).reduce<string[] | null>(
    (found, { name }) => found ?? walk(name, []),
    null,
  );
}

function depthOf(tested: Schema): number {
  const known = new Map<string, number>();
  const depth = (name: string): number => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const value = 1 + Math.max(0, ...dependenciesOf(tested, name).map(depth));
    known.set(name, value);
    return value;
  };
  return Math.max(...entries(tested).map(({ name }) => depth(name)));
}

function findUnused(tested: Schema): string[] {
  const isRequested = (relation: string) =>
    /^(can_|role_mcp_)|^(active|participant)$/.test(relation);
  const isInternalTuple = (name: string) => name === 'platform#epoch' || name === 'scope#at';
  const used = new Set(entries(tested).flatMap(({ name }) => dependenciesOf(tested, name)));

  return entries(tested)
    .filter(
      ({ name, relation }) => !isRequested(relation) && !used.has(name) && !isInternalTuple(name),
    )
    .map(({ name }) => name);
}

function findWildcards(tested: Schema): string[] {
  return entries(tested)
    .filter(({ subjects }) => [...subjects].some((subject) => subject.endsWith(':*')))
    .map(({ name }) => name);
}

function relationsAccepting(tested: Schema, types: string[]): string[] {
  return entries(tested)
    .filter(({ subjects }) => types.some((type) => subjects.has(type)))
    .map(({ name }) => name);
}

function typesOf(names: string[]): string[] {
  return [...new Set(names.map((name) => name.split('#')[0] ?? ''))].toSorted();
}

function entries(tested: Schema) {
  return [...tested].flatMap(([type, relations]) =>
    [...relations].map(([relation, definition]) => ({
      name: `${type}#${relation}`,
      type,
      relation,
      ...definition,
    })),
  );
}

function leaves(rule: Userset): Userset[] {
  const children = rule.union?.child ?? rule.intersection?.child;
  return children === undefined ? [rule] : children.flatMap(leaves);
}
