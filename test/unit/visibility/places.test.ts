import { expect, test } from 'vitest';
import { patternsOf } from '../../../src/policies/patterns.ts';
import type { View } from '../../../src/visibility/visibility.ts';
import {
  all,
  families,
  none,
  placeOf,
  red,
  teamWith,
  viewOf,
  visibility,
} from './fixture-places.ts';

const namesIn = (view: View) => ({
  tools: visibility.list(view, 'tool').map(({ name }) => name),
  prompts: visibility.list(view, 'prompt').map(({ name }) => name),
  resources: visibility.list(view, 'resource').map(({ uri }) => uri),
  agents: visibility.list(view, 'agent').map(({ name }) => name),
});
const nothing = { tools: [], prompts: [], resources: [], agents: [] };
const namesWith = (tool: string, name: string, uri: string) => ({
  tools: [`${tool}x`],
  prompts: [`${name}x`],
  resources: [`${uri}x`],
  agents: [`${name}x`],
});

const designated = new Set(families.map((family) => `${family} x of organization`));
const bare = namesWith('', '', 'toolgate://org/');

test.each([
  [
    'a personal space shows everything',
    placeOf({ kind: 'personal' }, null),
    namesWith('', '', 'toolgate://me/'),
  ],
  [
    'me/ in an organization shows everything',
    placeOf({ kind: 'member' }, null),
    namesWith('me__', 'me/', 'toolgate://me/'),
  ],
  [
    'the space of a team shows everything',
    placeOf(red, null),
    namesWith('red__', 'red/', 'toolgate://team/red/'),
  ],
  [
    'the catalog shows nothing by default',
    placeOf({ kind: 'organization' }, { designated: new Set(), teams: [] }),
    nothing,
  ],
  [
    'the catalog shows designated items',
    placeOf({ kind: 'organization' }, { designated, teams: [] }),
    bare,
  ],
  [
    'the catalog shows designated items, regardless of team policies',
    placeOf({ kind: 'organization' }, { designated, teams: [teamWith(none)] }),
    bare,
  ],
  [
    'the catalog shows no item that every team refuses',
    placeOf({ kind: 'organization' }, { designated: new Set(), teams: [teamWith(none)] }),
    nothing,
  ],
  [
    'the catalog shows items that one of the teams admits',
    placeOf(
      { kind: 'organization' },
      { designated: new Set(), teams: [teamWith(none), teamWith(all)] },
    ),
    bare,
  ],
])('%s', (_rule, place, expected) => {
  expect(namesIn(viewOf([place]))).toEqual(expected);
});

test('a catalog item that no team admits is refused like any excluded item', () => {
  const view = viewOf([
    placeOf({ kind: 'organization' }, { designated: new Set(), teams: [teamWith(none)] }),
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
    placeOf(red, null),
    placeOf({ kind: 'member' }, null),
  ] as const;

  expect(namesIn(viewOf([...places]))).toEqual({
    tools: ['me__x', 'red__x', 'x'],
    prompts: ['me/x', 'red/x', 'x'],
    resources: expect.arrayContaining([
      'toolgate://org/x',
      'toolgate://team/red/x',
      'toolgate://me/x',
    ]),
    agents: ['me/x', 'red/x', 'x'],
  });
  expect(namesIn(viewOf([...places], none))).toEqual(nothing);
});

test('a condition on a resource is met only by a resource of the agent’s own space', () => {
  const here = placeOf(red, null, ['runbook']);
  const there = placeOf({ kind: 'member' }, null, ['guide']);
  const view = viewOf([there, here]);
  const agentOf = ({ space_id }: { space_id: string }, path: string) => ({
    space_id,
    components: [{ name: path, when: { resource: path } }],
  });

  expect(visibility.components(view, agentOf(here, 'runbook'))).toEqual(['runbook']);
  expect(visibility.components(view, agentOf(here, 'guide'))).toEqual([]);
  expect(visibility.components(view, agentOf(there, 'guide'))).toEqual(['guide']);
  expect(visibility.components(view, agentOf(there, 'runbook'))).toEqual([]);
});

test('deciding about an item outside the view’s places throws', () => {
  const view = viewOf([placeOf({ kind: 'member' }, null)]);
  const [foreign] = visibility.list(viewOf([placeOf(red, null)]), 'prompt');

  expect(() => visibility.decide(view, foreign!)).toThrow(TypeError);
});

test('the patterns of teams are matched in pieces, before the resources of a view are listed', async () => {
  const patterns = ['docs/**', 'x'];
  const admitting = { ...none, resource: { mode: 'whitelist' as const, patterns } };
  const exposure = { designated: new Set<string>(), teams: [teamWith(admitting)] };
  const view = viewOf([placeOf({ kind: 'organization' }, exposure)]);

  await visibility.precomputed('acme', view);

  const { steps } = patternsOf(patterns).meter;
  expect(steps).toBeGreaterThan(0);
  expect(visibility.list(view, 'resource').map(({ uri }) => uri)).toEqual(['toolgate://org/x']);
  expect(patternsOf(patterns).meter.steps).toBe(steps);
});
