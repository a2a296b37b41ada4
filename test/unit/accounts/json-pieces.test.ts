import { expect, test } from 'vitest';
import { jsonPieces } from '../../../src/accounts/export/json-pieces.ts';
import { iteratePages } from '../../../src/platform/http/pages.ts';

const roundTrip = async (value: object) =>
  JSON.parse((await Array.fromAsync(jsonPieces(Object.entries(value)))).join('')) as unknown;

async function* rows(...all: unknown[]) {
  yield* all;
}

test.each([
  ['an empty object', {}, {}],
  ['undefined values', { a: undefined, b: { c: rows(), d: undefined } }, { b: { c: [] } }],
  ['short parts', { a: 1, b: [null, 'x"'], c: { d: [] } }, { a: 1, b: [null, 'x"'], c: { d: [] } }],
  ['long lists', { none: rows(), two: rows({ n: 1 }, 2) }, { none: [], two: [{ n: 1 }, 2] }],
  ['a long list within a part', { a: { b: rows(1), c: 2 }, d: 3 }, { a: { b: [1], c: 2 }, d: 3 }],
])('JSON written in pieces parses back: %s', async (_what, value, expected) => {
  expect(await roundTrip(value)).toEqual(expected);
});

test('a list is read only as far as it is consumed, and up to its limit', async () => {
  const cursors: (number | null)[] = [];
  const read = ({ limit, after }: { limit: number; after: { n: number } | null }) => {
    cursors.push(after?.n ?? null);
    const first = (after?.n ?? 0) + 1;
    return Promise.resolve(Array.from({ length: limit }, (_, index) => ({ n: first + index })));
  };
  const pieces = jsonPieces(Object.entries({ list: iteratePages(read, { rows: 4, max: 10 }) }));
  const received: string[] = [];
  const take = async (count: number) => {
    while (received.length < count) received.push((await pieces.next()).value as string);
  };

  // The field name and four rows.
  await take(5);
  expect(cursors).toEqual([null]);
  await take(6);
  expect(cursors).toEqual([null, 4]);
  for await (const piece of pieces) received.push(piece);

  expect(cursors).toEqual([null, 4, 8]);
  const { list } = JSON.parse(received.join('')) as { list: { n: number }[] };
  expect(list.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
