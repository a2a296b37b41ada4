import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexTools } from '../../../src/mcp/search/tool-index.ts';
import type { SearchedTool } from '../../../src/mcp/search/tool-index.ts';
import { createSearchedDigest, createToolIndexes } from '../../../src/mcp/search/tool-indexes.ts';
import { termsOf } from '../../../src/mcp/search/terms.ts';
import { finish } from '../../../src/platform/concurrency/turns.ts';

const tool = (name: string, fields: Partial<SearchedTool> = {}): SearchedTool => ({
  ...{ name, title: name, description: `The tool ${name}.`, input_schema: { type: 'object' } },
  ...fields,
});

const matchesIn = (tools: readonly SearchedTool[], query: string) =>
  finish(finish(indexTools(tools)).search(query));
const search = (tools: readonly SearchedTool[], query: string): string[] =>
  matchesIn(tools, query).map(({ position }) => tools[position]!.name);

describe('terms', () => {
  test.each([
    ['create_issue', ['create', 'issue']],
    ['dueDate', ['due', 'date']],
    ['Straße, CAFÉ!', ['straße', 'cafe']],
    ['team__list-all', ['team', 'list', 'all']],
    ['請求書を作成', ['請求', '求書', '書を', 'を作', '作成']],
    ['税', ['税']],
    ['فاتورة جديدة', ['فاتورة', 'جديدة']],
    ['… — !', []],
  ])('of %s', (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });
});

describe('a search', () => {
  const tools = [
    tool('close_ticket', { description: 'Closes an issue of a customer.' }),
    tool('create_issue', { description: 'Opens a ticket.' }),
    tool('create_report', { title: 'Write a summary' }),
    tool('send_mail', {
      input_schema: {
        type: 'object',
        properties: {
          message: {
            type: 'object',
            properties: { recipients: { type: 'array', description: 'Who receives it.' } },
          },
        },
      },
    }),
  ];

  test.each([
    ['a name', 'create_issue', 'create_issue'],
    ['a word of a title', 'summary', 'create_report'],
    ['a word of a description', 'customer', 'close_ticket'],
    ['the name of a nested argument', 'recipients', 'send_mail'],
    ['a word of its description', 'receives', 'send_mail'],
    ['the beginning of a word', 'recip', 'send_mail'],
    ['a misspelled word', 'sumary', 'create_report'],
    ['words of which one is unknown', 'zzzz summary', 'create_report'],
  ])('finds a tool by %s', (_part, query, name) => {
    expect(search(tools, query)[0]).toBe(name);
  });

  test('ranks a name above a description', () => {
    expect(search(tools, 'issue').slice(0, 2)).toEqual(['create_issue', 'close_ticket']);
  });

  test('finds nothing for words that no tool has, and for no words', () => {
    expect(search(tools, 'zzzz')).toEqual([]);
    expect(search(tools, '…')).toEqual([]);
    expect(search([], 'issue')).toEqual([]);
  });

  test('orders equal tools like the list', () => {
    const equal = ['c', 'a', 'b'].map((name) => tool(name, { title: 't', description: 'same' }));

    expect(search(equal, 'same')).toEqual(['c', 'a', 'b']);
  });

  test('is the same for equal lists, whatever was indexed before (P1)', () => {
    const words = fc.constantFrom('issue', 'ticket', 'create', 'mail', 'customer');
    const anyTool = fc
      .record({
        name: words,
        title: words,
        description: fc.array(words).map((all) => all.join(' ')),
      })
      .map((fields) => tool(fields.name, fields));
    const anyTools = fc.array(anyTool, { maxLength: 8 });
    fc.assert(
      fc.property(anyTools, anyTools, words, (visible, hidden, query) => {
        const first = matchesIn(visible, query);
        matchesIn([...visible, ...hidden], query);

        expect(matchesIn(structuredClone(visible), query)).toEqual(first);
      }),
    );
  });

  test('reads a bounded part of a tool', () => {
    const long = tool('long', { description: `${'word '.repeat(1_000)}end` });

    expect(search([long], 'end')).toEqual([]);
    expect(search([long], 'word')).toEqual(['long']);
  });
});

describe('the cache of indexes', () => {
  test('shares an index between equal lists, and no other', async () => {
    const indexOf = createToolIndexes(createSearchedDigest());
    const visible = [tool('a'), tool('b')];
    const first = await indexOf('ada', visible);

    expect(await indexOf('dan', structuredClone(visible))).toBe(first);
    expect(await indexOf('ada', [...visible, tool('c')])).not.toBe(first);
    expect(await indexOf('ada', [tool('a'), tool('b', { description: 'Other.' })])).not.toBe(first);
  });

  test('builds an index once for requests at the same time', async () => {
    const indexOf = createToolIndexes(createSearchedDigest());
    const [first, second] = await Promise.all([
      indexOf('ada', [tool('a')]),
      indexOf('dan', [tool('a')]),
    ]);

    expect(second).toBe(first);
  });

  test('drops the least recently used index above its limit, but keeps one that is too large', async () => {
    const small = [tool('a')];
    const { size } = finish(indexTools(small));
    const indexOf = createToolIndexes(createSearchedDigest(), size + 10);
    const first = await indexOf('ada', small);
    const large = await indexOf('ada', [tool('a'), tool('b'), tool('c')]);

    expect(await indexOf('ada', [tool('a'), tool('b'), tool('c')])).toBe(large);
    expect(await indexOf('ada', small)).not.toBe(first);
  });
});
