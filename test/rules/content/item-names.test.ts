import { expect, test } from 'vitest';
import { AgentDraft } from '../../../src/content/agents/schema.ts';
import { PromptDraft } from '../../../src/content/prompts/schema.ts';
import { ToolDraft } from '../../../src/content/tools/schema.ts';

const rest = {
  description: 'What it is for.',
  instructions: '',
  messages: [{ role: 'user', content: 'Hello.' }],
  kind: 'http',
  http: { method: 'GET', url: 'https://api.example.com/' },
};
const families = { prompt: PromptDraft, agent: AgentDraft, tool: ToolDraft };
const takenBy = (name: string) =>
  Object.entries(families).flatMap(([family, draft]) =>
    draft.safeParse({ ...rest, name }).success ? [family] : [],
  );

// In an organization a tool is `me__x` or `<team>__x`, since its name admits no `/`; every family
// follows one rule, so that a name may become another's.
test.each([
  ['release_notes', ['prompt', 'agent', 'tool']],
  ['me__notes', []],
  ['__', []],
  ['me/notes', []],
])('only what stands between space and name is refused in a name: %s (MCP names)', (name, by) => {
  expect(takenBy(name)).toEqual(by);
});
