import { searchTools } from '../../catalog/catalog.ts';
import { readOnly } from '../system/system-tool.ts';

const MAX_QUERY_CHARACTERS = 200;
export const DEFAULT_RESULTS = 10;
const MAX_RESULTS = 50;

/** `search_tools` as it is listed. */
export const searchToolsEntry = {
  id: searchTools.search_tools,
  name: 'search_tools',
  title: 'Search for tools',
  description:
    'Finds the tools that this credential may call, the best match first: by words of their names, ' +
    'titles, descriptions and arguments. Call it before you decide that no tool fits, and call the ' +
    'tool that you choose with `run_tool`. Without a query, it lists every tool by name.',
  version: '1',
  input_schema: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        maxLength: MAX_QUERY_CHARACTERS,
        default: '',
        description: 'Words that describe the task, such as `create issue`.',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_RESULTS,
        default: DEFAULT_RESULTS,
        description: 'Maximum number of tools to return.',
      },
      cursor: {
        type: 'string',
        description: '`next_cursor` of the previous page of the same query.',
      },
    },
    additionalProperties: false,
  },
  output_schema: {
    type: 'object',
    properties: {
      tools: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            title: { type: 'string' },
            description: { type: 'string' },
            input_schema: { type: 'object' },
            annotations: { type: 'object' },
          },
          required: ['name', 'title', 'description', 'input_schema', 'annotations'],
        },
      },
      next_cursor: { type: 'string', description: 'Absent on the last page.' },
    },
    required: ['tools'],
  },
  annotations: readOnly,
} as const;
