import { expect, test } from 'vitest';
import type { ScopeState } from '../../../src/caller/scope.ts';
import { createScopeCache } from '../../../src/visibility/scope-cache.ts';
import { SPACE_WEIGHT, weightOfPolicies, weightOfSpace } from '../../../src/visibility/weights.ts';
import type { SpaceContents } from '../../../src/visibility/visibility.ts';

const scope = (id: string, state: Partial<ScopeState> = {}): ScopeState => ({
  ...{ kind: 'account', id, revision: 1, applied: 1, nonce: 'one', content: 1 },
  ...state,
});

const createSpaceCache = (read: (id: string) => Promise<SpaceContents>, maxSize = 100_000_000) =>
  createScopeCache(read, { maxSize, pending: SPACE_WEIGHT, weightOf: weightOfSpace });

/** Spaces by account id, each with one item of the given size in characters. */
function spacesOf(limit: number, characters: Readonly<Record<string, number>>) {
  const reads: string[] = [];
  const contentsAt = createSpaceCache(async (id) => {
    reads.push(id);
    const head = { description: 'x'.repeat(characters[id] ?? 0) };
    return {
      selected_tools: new Set(),
      selected_prompts: new Set(),
      items: [{ head }],
    } as unknown as SpaceContents;
  }, limit);
  const spaceAt = (state: ScopeState) => contentsAt(state.id, state);
  return { spaceAt, reads };
}

test('a space is read once for each state of its scope', async () => {
  const { spaceAt, reads } = spacesOf(1_000_000, {});

  await Promise.all([spaceAt(scope('ada')), spaceAt(scope('ada'))]);
  await spaceAt(scope('ada', { content: 2 }));
  await spaceAt(scope('ada', { content: 2, nonce: 'two' }));

  expect(reads).toHaveLength(3);
});

test('the cache is bounded by the size of its spaces', async () => {
  const { spaceAt, reads } = spacesOf(1_000_000, { ada: 600_000, ben: 100, cleo: 500_000 });
  for (const id of ['ada', 'ben', 'cleo']) await spaceAt(scope(id));

  await spaceAt(scope('ben'));
  await spaceAt(scope('cleo'));
  expect(reads).toEqual(['ada', 'ben', 'cleo']);
  await spaceAt(scope('ada'));

  expect(reads).toEqual(['ada', 'ben', 'cleo', 'ada']);
});

test('a space larger than the cache is cached alone', async () => {
  const { spaceAt, reads } = spacesOf(1_000_000, { ada: 2_000_000 });
  await spaceAt(scope('ben'));

  await spaceAt(scope('ada'));
  await spaceAt(scope('ada'));

  expect(reads).toEqual(['ben', 'ada']);
});

test('a space whose read failed is read again', async () => {
  let isDown = true;
  const spaceAt = createSpaceCache(async () => {
    if (isDown) throw new Error('no database');
    return { items: [] } as unknown as SpaceContents;
  });
  await expect(spaceAt('ada', scope('ada'))).rejects.toThrow('no database');
  isDown = false;

  await expect(spaceAt('ada', scope('ada'))).resolves.toEqual({ items: [] });
});

test('policies weigh as much as the entries of their lists', () => {
  const weigh = (tools: string[]) =>
    weightOfPolicies({
      tool: { mode: 'whitelist', tools },
      prompt: { mode: 'all' },
      resource: { mode: 'all' },
      agent: { mode: 'all' },
    });

  expect(weigh(['x'.repeat(36), 'y'.repeat(36)]) - weigh([])).toBe(72);
});
