import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AgentDraft } from '../../../src/content/agents/schema.ts';
import { PromptDraft } from '../../../src/content/prompts/schema.ts';
import { ToolDraft } from '../../../src/content/tools/schema.ts';
import { ItemName, TeamName } from '../../../src/policies/item-name.ts';
import { prefixOf, qualifiedName } from '../../../src/content/spaces/spaces.ts';

const rest = {
  description: 'What it is for.',
  instructions: '',
  messages: [{ role: 'user', content: 'Hello.' }],
  kind: 'http',
  http: { method: 'GET', url: 'https://api.example.com/' },
};
const families = { prompt: PromptDraft, agent: AgentDraft, tool: ToolDraft };
const acceptedBy = (name: string) =>
  Object.entries(families).flatMap(([family, draft]) =>
    draft.safeParse({ ...rest, name }).success ? [family] : [],
  );

// In an organization a tool is `me__x` or `<team>__x`, because a tool name may not contain `/`.
// Every family follows the same rule, so that a name is valid in all of them.
test.each([
  ['release_notes', ['prompt', 'agent', 'tool']],
  ['me__notes', []],
  ['__', []],
  ['me/notes', []],
])(
  'a name may not contain a separator between space and name: %s (MCP names)',
  (name, accepting) => {
    expect(acceptedBy(name)).toEqual(accepting);
  },
);

const shortName = fc
  .array(fc.constantFrom('a', '_'), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(''));
const itemName = shortName.filter((name) => ItemName.safeParse(name).success);
const space = fc.oneof(
  fc.constantFrom({ kind: 'organization' } as const, { kind: 'member' } as const),
  shortName
    .filter((name) => TeamName.safeParse(name).success)
    .map((name) => ({ kind: 'team', name: TeamName.parse(name) }) as const),
);

test('two items of an organization have equal names only if they are the same item (MCP names)', () => {
  const item = fc.record({ space, name: itemName });
  fc.assert(
    fc.property(item, item, fc.constantFrom('tool', 'prompt', 'agent'), (one, other, family) => {
      const [first, second] = [one, other].map(({ space: itemSpace, name }) =>
        qualifiedName(prefixOf(itemSpace), { family, name }),
      );
      expect(first === second).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
    { numRuns: 20_000 },
  );
});

test.each(['me', 'organization', 'a_', 'a__b', 'a/b', '', 'a'.repeat(65)])(
  'a team cannot be named %j',
  (name) => {
    expect(TeamName.safeParse(name).success).toBe(false);
  },
);
