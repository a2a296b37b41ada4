import { describe, expect, test } from 'vitest';
import {
  AgentPolicy,
  agentPolicyFaults,
  PromptPolicy,
  promptPolicyFaults,
  ResourcePolicy,
  resourcePolicyFaults,
  ToolPolicy,
  toolPolicyFaults,
} from '../../../src/policies/item-policies.ts';

const id = (n: number) => `0190aaaa-0000-7000-8000-${String(n).padStart(12, '0')}`;
const builtIn = id(1);
const otherBuiltIn = id(2);
const custom = id(3);
const prompt = id(4);
const platformPrompt = id(5);
const agent = id(6);
const foreign = id(7);
const nil = '00000000-0000-0000-0000-000000000000';
const knownIds = new Map([
  ['tools', [builtIn, otherBuiltIn]],
  ['custom_tools', [custom]],
  ['prompts', [prompt]],
  ['platform_prompts', [platformPrompt]],
]);
const isKnown = (list: string, one: string) => knownIds.get(list)?.includes(one) === true;

/** Functions that return the status of saving a policy, by family: 400, 422 with codes, or 201. */
const families = {
  tool: status(ToolPolicy, (policy) => toolPolicyFaults(policy, isKnown)),
  prompt: status(PromptPolicy, (policy) => promptPolicyFaults(policy, isKnown)),
  agent: status(AgentPolicy, (policy) => agentPolicyFaults(policy, (one) => one === agent)),
  resource: status(ResourcePolicy, resourcePolicyFaults),
};
const familyEntries = Object.entries(families);

function status<Policy>(
  shape: { safeParse(value: unknown): { success: boolean; data?: Policy } },
  faults: (policy: Policy) => { code: string }[],
) {
  return (value: unknown): string => {
    const parsed = shape.safeParse(value);
    if (!parsed.success) return '400';
    const codes = faults(parsed.data as Policy).map((fault) => fault.code);
    return codes.length === 0 ? '201' : `422 ${[...new Set(codes)].join(' ')}`;
  };
}

describe.each(familyEntries)('%s_policy', (family, statusOf) => {
  const required = { tool: 'tools', prompt: 'prompts', agent: 'agents', resource: 'patterns' }[
    family
  ] as string;

  test.each([null, [], 'all', 5, true])('%j is malformed (rel:PO1)', (value) => {
    expect(statusOf(value)).toBe('400');
  });

  test.each(['ALL', null, ['all'], '', 0, 'allowlist'])(
    'mode %j is malformed (rel:PO3)',
    (mode) => {
      expect(statusOf({ mode })).toBe('400');
    },
  );

  test('a policy without a mode is `all` (rel:PO2)', () => {
    expect(statusOf({})).toBe('201');
  });

  test.each([[[]], [[id(1)]], [null]])(
    'a list without a mode, %j, is malformed (rel:PO2)',
    (list) => {
      expect(statusOf({ [required]: list })).toBe('400');
    },
  );

  test.each([[[]], [[id(1)]], [null], ['x']])(
    '`all` with a list, %j, is malformed (P1, rel:PO4)',
    (list) => {
      expect(statusOf({ mode: 'all', [required]: list })).toBe('400');
    },
  );

  test.each(['whitelist', 'blacklist'])(
    '%s without its required list is malformed (P2, P3, rel:PO5)',
    (mode) => {
      expect(statusOf({ mode })).toBe('400');
      expect(statusOf({ mode, extension: [id(1)] })).toBe('400');
    },
  );

  test.each([[null], [{}], ['x'], [[1]], [[null]], [5]])(
    'a list that is %j is malformed (P3, rel:PO6)',
    (list) => {
      expect(statusOf({ mode: 'whitelist', [required]: list })).toBe('400');
    },
  );

  test.each(['whitelist', 'blacklist'])(
    '%s with an empty list is refused with 422 (P4, rel:PO8)',
    (mode) => {
      expect(statusOf({ mode, [required]: [] })).toBe('422 empty_list');
    },
  );

  test('an extension field has no effect, regardless of its value (P2, rel:PO7)', () => {
    expect(statusOf({ mode: 'all', note: null, nested: { mode: 'whitelist' } })).toBe('201');
  });
});

describe('lists of ids', () => {
  test.each([
    ['tool', 'tools'],
    ['prompt', 'prompts'],
    ['agent', 'agents'],
  ] as const)(
    'an MCP name or a broken id in %s_policy is malformed (P3, rel:PO12)',
    (family, list) => {
      for (const entry of [
        'calculator',
        '',
        `{${builtIn}}`,
        builtIn.replaceAll('-', ''),
        `${builtIn} `,
      ])
        expect(families[family]({ mode: 'whitelist', [list]: [entry] })).toBe('400');
    },
  );

  test.each([
    ['tool', 'tools'],
    ['prompt', 'prompts'],
    ['agent', 'agents'],
  ] as const)('more than 1 000 entries in %s_policy are malformed (rel:K15)', (family, list) => {
    const entries = (count: number) => Array.from({ length: count }, (_, n) => id(1_000 + n));

    expect(families[family]({ mode: 'whitelist', [list]: entries(1_000) })).toBe(
      '422 unknown_item',
    );
    expect(families[family]({ mode: 'whitelist', [list]: entries(1_001) })).toBe('400');
    expect(
      ToolPolicy.safeParse({ mode: 'whitelist', tools: Array(100_000).fill(1) }).error?.issues,
    ).toHaveLength(1);
  });

  test('more than 256 patterns, or a pattern of more than 512 bytes, are malformed (rel:PO13)', () => {
    const patterns = (count: number) => Array.from({ length: count }, (_, n) => `p/${n}`);

    expect(families.resource({ mode: 'whitelist', patterns: patterns(256) })).toBe('201');
    expect(families.resource({ mode: 'whitelist', patterns: patterns(257) })).toBe('400');
    expect(families.resource({ mode: 'whitelist', patterns: ['é'.repeat(256)] })).toBe('201');
    expect(families.resource({ mode: 'whitelist', patterns: ['é'.repeat(257)] })).toBe('400');
  });

  test.each([nil, foreign, custom, prompt])(
    'an unknown id, a foreign id and an id of another list get the same error (P4, rel:PO11)',
    (entry) => {
      const faults = toolPolicyFaults({ mode: 'whitelist', tools: [entry] }, isKnown);

      expect(faults).toEqual([
        { code: 'unknown_item', message: 'The item does not exist.', pointer: '/tools/0' },
      ]);
    },
  );

  test('a built-in tool in custom_tools is unknown (rel:PO11)', () => {
    expect(
      families.tool({ mode: 'whitelist', tools: [builtIn], custom_tools: [otherBuiltIn] }),
    ).toBe('422 unknown_item');
  });

  test('a repeated entry is refused with 422, also in other case or Unicode form (P4, rel:PO10)', () => {
    expect(families.tool({ mode: 'blacklist', tools: [builtIn, builtIn] })).toBe(
      '422 duplicate_item',
    );
    expect(families.tool({ mode: 'blacklist', tools: [builtIn, builtIn.toUpperCase()] })).toBe(
      '422 duplicate_item',
    );
    expect(families.resource({ mode: 'blacklist', patterns: ['a/*', 'a/*'] })).toBe(
      '422 duplicate_item',
    );
    expect(families.resource({ mode: 'blacklist', patterns: ['é', 'e\u0301'] })).toBe(
      '422 duplicate_item',
    );
  });

  test('an entry in two lists is refused with 422 (P4, rel:PO10)', () => {
    const policy = ToolPolicy.parse({
      mode: 'whitelist',
      tools: [builtIn],
      custom_tools: [builtIn.toUpperCase()],
    });

    expect(toolPolicyFaults(policy, () => true)).toEqual([
      {
        code: 'duplicate_item',
        message: 'The list must not contain duplicates.',
        pointer: '/custom_tools/0',
      },
    ]);
  });

  test('ids are stored in lower case, and unknown fields are dropped', () => {
    expect(
      ToolPolicy.parse({ mode: 'whitelist', tools: [builtIn.toUpperCase()], patterns: ['a'] }),
    ).toEqual({ mode: 'whitelist', tools: [builtIn] });
  });
});

test.each([
  [{ mode: 'whitelist', tools: [builtIn], custom_tools: [custom] }, '201'],
  [{ mode: 'whitelist', tools: [builtIn], patterns: [], prompts: null }, '201'],
  [{ mode: 'whitelist', custom_tools: [custom] }, '400'],
  [{ mode: 'whitelist', tools: [builtIn], custom_tools: null }, '400'],
  [{ mode: 'whitelist', tools: [], custom_tools: [custom] }, '422 empty_list'],
  [{ mode: 'blacklist', tools: [builtIn], custom_tools: [] }, '422 empty_list'],
  [{ mode: 'all', custom_tools: [] }, '400'],
])('tool_policy %j yields %s (P2, P4, rel:PO7, rel:PO8)', (policy, expected) => {
  expect(families.tool(policy)).toBe(expected);
});

test.each([
  [{ mode: 'whitelist', prompts: [], platform_prompts: [platformPrompt] }, '201'],
  [{ mode: 'blacklist', prompts: [], platform_prompts: [platformPrompt] }, '201'],
  [{ mode: 'whitelist', prompts: [prompt], platform_prompts: [platformPrompt] }, '201'],
  [{ mode: 'whitelist', prompts: [] }, '422 empty_list'],
  [{ mode: 'whitelist', prompts: [], platform_prompts: [] }, '422 empty_list'],
  [{ mode: 'whitelist', prompts: [prompt], platform_prompts: [] }, '422 empty_list'],
  [{ mode: 'whitelist', platform_prompts: [platformPrompt] }, '400'],
  [{ mode: 'whitelist', prompts: [], platform_prompts: null }, '400'],
  [{ mode: 'all', platform_prompts: [platformPrompt] }, '400'],
])('prompt_policy %j yields %s (P2, P4, rel:PO9)', (policy, expected) => {
  expect(families.prompt(policy)).toBe(expected);
});

test('a name in a list is refused with the request for an id', () => {
  const { error } = ToolPolicy.safeParse({ mode: 'whitelist', tools: ['calculator'] });

  expect(error?.issues.map(({ message }) => message)).toEqual([
    'must be the id of an item, not its name',
  ]);
});

test('an empty `prompts` is refused with what would permit it', () => {
  const faults = promptPolicyFaults({ mode: 'whitelist', prompts: [] }, isKnown);

  expect(faults.map(({ message }) => message)).toEqual([
    'The list must not be empty, unless `platform_prompts` has entries.',
  ]);
});
