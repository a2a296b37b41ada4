import fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
import { expect, test } from 'vitest';
import { compareJson } from '../../../src/catalog/compare-json.ts';

const Key = fc.constantFrom('a', 'b', 'c~/d', '');
const { value: Json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, 0, 1, 2, 'x', ''),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(Key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

test('the patch turns the first document into the second', () => {
  fc.assert(
    fc.property(Json, Json, (before, after) => {
      const target = { root: structuredClone(before) };

      const patch = compareJson({ root: before }, { root: after });

      expect(applyPatch(target, patch as Operation[])).toEqual(patch.map(() => null));
      expect(target).toEqual({ root: after });
    }),
    { numRuns: 1000 },
  );
});

test('equal documents have an empty patch', () => {
  fc.assert(
    fc.property(Json, (document) => {
      expect(compareJson(document, structuredClone(document))).toEqual([]);
    }),
  );
});

test('an inserted or deleted element does not rewrite the following ones', () => {
  const before = [{ id: 1 }, { id: 2 }, { id: 3 }];

  expect(compareJson(before, [{ id: 0 }, ...before])).toEqual([
    { op: 'add', path: '/0', value: { id: 0 } },
  ]);
  expect(compareJson(before, before.slice(1))).toEqual([{ op: 'remove', path: '/0' }]);
  expect(compareJson(before, before.with(1, { id: 9 }))).toEqual([
    { op: 'replace', path: '/1/id', value: 9 },
  ]);
});
