import { expect, test } from 'vitest';
import type { ScopeState } from '../../../src/caller/scope.ts';
import { createKeptSpaces } from '../../../src/visibility/kept-spaces.ts';
import type { SpaceContents } from '../../../src/visibility/visibility.ts';

const scope = (id: string, state: Partial<ScopeState> = {}): ScopeState => ({
  ...{ kind: 'account', id, revision: 1, applied: 1, nonce: 'one', content: 1 },
  ...state,
});

/** Accounts by id; each has one item whose head is of so many characters. */
function spacesOf(most: number, characters: Readonly<Record<string, number>>) {
  const reads: string[] = [];
  const contentsAt = createKeptSpaces(async (id) => {
    reads.push(id);
    const head = { description: 'x'.repeat(characters[id] ?? 0) };
    return {
      selected_tools: new Set(),
      selected_prompts: new Set(),
      items: [{ head }],
    } as unknown as SpaceContents;
  }, most);
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

test('spaces are kept by what they hold, not by how many items it is in', async () => {
  const { spaceAt, reads } = spacesOf(1_000_000, { ada: 600_000, ben: 100, cleo: 500_000 });
  for (const id of ['ada', 'ben', 'cleo']) await spaceAt(scope(id));

  await spaceAt(scope('ben'));
  await spaceAt(scope('cleo'));
  expect(reads).toEqual(['ada', 'ben', 'cleo']);
  await spaceAt(scope('ada'));

  expect(reads).toEqual(['ada', 'ben', 'cleo', 'ada']);
});

test('one that is larger than all that is kept is kept alone', async () => {
  const { spaceAt, reads } = spacesOf(1_000_000, { ada: 2_000_000 });
  await spaceAt(scope('ben'));

  await spaceAt(scope('ada'));
  await spaceAt(scope('ada'));

  expect(reads).toEqual(['ben', 'ada']);
});

test('a space that could not be read is read again', async () => {
  let isAway = true;
  const spaceAt = createKeptSpaces(async () => {
    if (isAway) throw new Error('no database');
    return { items: [] } as unknown as SpaceContents;
  });
  await expect(spaceAt('ada', scope('ada'))).rejects.toThrow('no database');
  isAway = false;

  await expect(spaceAt('ada', scope('ada'))).resolves.toEqual({ items: [] });
});
