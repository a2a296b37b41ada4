import { expect, test } from 'vitest';
import type { ScopeRef } from '../../../src/caller/scope.ts';
import { isCovered } from '../../../src/organizations/credentials/team-changes.ts';

const scopesOf = (...ids: string[]): ScopeRef[] => ids.map((id) => ({ kind: 'service', id }));

test.each([
  ['the same keys', ['a', 'b'], true],
  ['fewer keys', ['a'], true],
  ['another key in place of one', ['a', 'c'], false],
  ['an additional key', ['a', 'b', 'c'], false],
])('a change decided on two keys covers %s: %s', (_what, now, expected) => {
  expect(isCovered(scopesOf(...now), scopesOf('a', 'b'))).toBe(expected);
});
