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
    fc.property(lists, tool, (given, item) => {
      const admitted = (['whitelist', 'blacklist'] as const).filter((mode) =>
        admitsTool({ mode, ...given }, item),
      );

      expect(admitted).toHaveLength(1);
    }),
  );
});

test('a longer whitelist admits no fewer items, a longer blacklist no more (rel:P11)', () => {
  fc.assert(
    fc.property(lists, tool, tool, (given, added, item) => {
      const longer = { ...given, [added.list]: [...(given[added.list] ?? []), added.id] };
      const admits = (mode: ToolPolicy['mode'], policy: typeof given) =>
        admitsTool({ mode, ...policy }, item);

      if (admits('whitelist', given)) expect(admits('whitelist', longer)).toBe(true);
      if (!admits('blacklist', given)) expect(admits('blacklist', longer)).toBe(false);
    }),
  );
});

test("a whitelist without the optional list admits none of that list's items, a blacklist all", () => {
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
