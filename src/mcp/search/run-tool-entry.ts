import { searchTools } from '../../catalog/catalog.ts';

/** `run_tool` as it is listed; it has no output schema, since it returns what the called tool does. */
export const runToolEntry = {
  id: searchTools.run_tool,
  name: 'run_tool',
  title: 'Run a tool',
  description:
    'Calls a tool by the name that `search_tools` returned, with arguments that match its ' +
    '`input_schema`, and returns what that tool returns. Not for tools that are listed: call these ' +
    'directly.',
  version: '1',
  input_schema: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, description: 'Name of the tool to call.' },
      arguments: {
        type: 'object',
        description: 'Arguments of that tool. Omit them if it takes none.',
      },
    },
    required: ['name'],
    additionalProperties: false,
  },
  output_schema: null,
  // It may call any tool, so these are the hints of the most dangerous one.
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
} as const;
