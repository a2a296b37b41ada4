import { expect, test } from 'vitest';
import { indexTools } from '../../../src/mcp/search/tool-index.ts';
import { createSearchedDigest, createToolIndexes } from '../../../src/mcp/search/tool-indexes.ts';
import { finish, inTurns } from '../../../src/platform/concurrency/turns.ts';
import { heldShare } from '../../support/longest-turn.ts';

/** Tools of which each has words of its own, all of which begin alike and are similar. */
function similarTools(count: number) {
  let words = 0;
  const description = () =>
    Array.from({ length: 280 }, () => `abcdefgh${(words += 1).toString(36).padStart(5, '0')}`);
  return Array.from({ length: count }, (_, index) => ({
    ...{ name: `t${index}`, title: `t${index}`, description: description().join(' ') },
    input_schema: { type: 'object' },
  }));
}

test.each([
  ['that many words begin with', 'abc abcd abcde abcdef abcdefg abcdefgh'],
  ['that many words are like', 'abcdefgh00000 abcdefghz0000 abcdefgh0z000 bacdefgh00000'],
])('a search for terms %s leaves turns to others', { timeout: 60_000 }, async (_what, query) => {
  const index = finish(indexTools(similarTools(500)));

  expect(await heldShare(() => inTurns('ada', index.search(query)))).toBeLessThan(1);
});

test('an index has a bounded number of terms', { timeout: 60_000 }, () => {
  const tools = similarTools(500);
  const index = finish(indexTools(tools));
  const isFound = (position: number) =>
    finish(index.search(tools[position]!.description.slice(0, 13))).some(
      (match) => match.position === position,
    );

  expect(isFound(0)).toBe(true);
  // 139,000 terms are before its own.
  expect(isFound(499)).toBe(false);
});

test('the digest of a long list is made in turns', async () => {
  const input_schema = { type: 'object', description: 'x'.repeat(50_000) };
  const indexOf = createToolIndexes(createSearchedDigest());
  const work = () => {
    const tools = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ name: `t${index}`, title: `t${index}`, description: '', input_schema },
    }));
    return indexOf('ada', tools);
  };

  expect(await heldShare(work)).toBeLessThan(1);
});
