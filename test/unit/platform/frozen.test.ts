import { expect, test } from 'vitest';
import { deepFreeze } from '../../../src/platform/frozen.ts';

test('nothing in a frozen value can be changed, however deep it is', () => {
  const value = deepFreeze({
    scopes: [{ nonce: 'a' }],
    policies: { tool: { tools: ['x'] } },
    teams: new Map([['red', { seats: ['s'] }]]),
    capabilities: new Set(['tools']),
  });

  const changes: (() => unknown)[] = [
    () => void (value.scopes[0]!.nonce = 'b'),
    () => value.scopes.push({ nonce: 'b' }),
    () => value.policies.tool.tools.push('y'),
    () => value.teams.set('blue', { seats: [] }),
    () => value.teams.get('red')!.seats.push('t'),
    () => value.teams.delete('red'),
    () => value.capabilities.add('agents'),
    () => value.capabilities.clear(),
    () => delete (value as Partial<typeof value>).scopes,
  ];

  for (const change of changes) expect(change).toThrow(TypeError);
  expect([...value.capabilities, ...value.teams.keys()]).toEqual(['tools', 'red']);
});

test('the parts of an object that was itself already frozen are frozen too', () => {
  const value = deepFreeze(Object.freeze({ scopes: [{ nonce: 'a' }], tools: new Set(['x']) }));

  expect(() => value.scopes.push({ nonce: 'b' })).toThrow(TypeError);
  expect(() => void (value.scopes[0]!.nonce = 'b')).toThrow(TypeError);
  expect(() => value.tools.add('y')).toThrow(TypeError);
});

test('a value that refers to itself can be frozen', () => {
  const value: { self?: object; tools: string[] } = { tools: [] };
  value.self = value;

  expect(() => deepFreeze(value).tools.push('x')).toThrow(TypeError);
});

test('a frozen set still works as a set', () => {
  const frozen = deepFreeze(new Set(['a', 'b']));

  expect(frozen.has('a')).toBe(true);
  expect(frozen.isSubsetOf(new Set(['a', 'b', 'c']))).toBe(true);
  expect(frozen.union(new Set(['c']))).toEqual(new Set(['a', 'b', 'c']));
});
