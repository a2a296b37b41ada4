import { prompt } from './space-world.ts';

export const validPrompt = prompt('good');
export const createPrompts = (count: number) =>
  Array.from({ length: count }, (_, index) => prompt(`p${index}`));
export const mcpTool = (fields: object = {}) => ({
  name: 'search',
  kind: 'mcp',
  title: null,
  description: 'Searches.',
  input_schema: { type: 'object' },
  output_schema: null,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  mcp: { upstream: 'docs', tool: 'search', pin: 'a-pin' },
  ...fields,
});
export const agent = (when: object | null, name = 'lead') => ({
  name,
  description: 'Leads.',
  instructions: 'Lead.',
  components: [{ name: 'part', content: 'A part.', when }],
});
