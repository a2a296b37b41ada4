import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  admitsAgent,
  admitsPrompt,
  admitsResource,
  admitsTool,
} from '../../../src/policies/item-policies.ts';
import type { ToolPolicy } from '../../../src/policies/item-policies.ts';

const ids = ['a', 'b', 'c', 'd'];
const tool = fc.record({
  list: fc.constantFrom('tools' as const, 'custom_tools' as const),
  id: fc.constantFrom(...ids),
});
const lists = fc.record(
  { tools: fc.subarray(ids), custom_tools: fc.subarray(ids) },
  { requiredKeys: ['tools'] },
);

test('`all` admits every item (P5)', () => {
  expect(admitsTool({ mode: 'all' }, { list: 'custom_tools', id: 'a' })).toBe(true);
  expect(admitsPrompt({ mode: 'all' }, { list: 'platform_prompts', id: 'a' })).toBe(true);
  expect(admitsAgent({ mode: 'all' }, 'a')).toBe(true);
  expect(admitsResource({ mode: 'all' }, 'a/b')).toBe(true);
});

test('a whitelist and a blacklist of the same lists partition `all` (rel:P11)', () => {
  fc.assert(
    fc.property(lists, tool, (entries, item) => {
      const admitted = (['whitelist', 'blacklist'] as const).filter((mode) =>
        admitsTool({ mode, ...entries }, item),
      );

      expect(admitted).toHaveLength(1);
    }),
  );
});

test('a longer whitelist admits no fewer items, and a longer blacklist admits no more (rel:P11)', () => {
  fc.assert(
    fc.property(lists, tool, tool, (entries, added, item) => {
      const longer = { ...entries, [added.list]: [...(entries[added.list] ?? []), added.id] };
      const admits = (mode: ToolPolicy['mode'], policy: typeof entries) =>
        admitsTool({ mode, ...policy }, item);

      if (admits('whitelist', entries)) expect(admits('whitelist', longer)).toBe(true);
      if (!admits('blacklist', entries)) expect(admits('blacklist', longer)).toBe(false);
    }),
  );
});

test('a long list admits the same items as a short one', () => {
  const listed = Array.from({ length: 1_000 }, (_, index) => `tool ${index}`);
  const admits = (mode: ToolPolicy['mode'], id: string) =>
    admitsTool({ mode, tools: listed }, { list: 'tools', id });

  for (const id of ['tool 0', 'tool 999', 'tool 1000'])
    expect([admits('whitelist', id), admits('blacklist', id)]).toEqual([
      listed.includes(id),
      !listed.includes(id),
    ]);
});

test("a whitelist without the optional list admits none of that list's items, and a blacklist all of them", () => {
  const custom = { list: 'custom_tools', id: 'a' } as const;

  expect(admitsTool({ mode: 'whitelist', tools: ['a'] }, custom)).toBe(false);
  expect(admitsTool({ mode: 'blacklist', tools: ['a'] }, custom)).toBe(true);
});

test('an empty whitelist admits nothing (rel:PO15)', () => {
  expect(admitsTool({ mode: 'whitelist', tools: [] }, { list: 'tools', id: 'a' })).toBe(false);
  expect(admitsPrompt({ mode: 'whitelist', prompts: [] }, { list: 'prompts', id: 'a' })).toBe(
    false,
  );
  expect(admitsAgent({ mode: 'whitelist', agents: [] }, 'a')).toBe(false);
  expect(admitsResource({ mode: 'whitelist', patterns: [] }, 'a')).toBe(false);
});
