import type { PromptItem, ResourceItem } from '../../visibility/visibility.ts';

/** Fields that every tool has in a list, including system tools. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  input_schema: unknown;
  output_schema: unknown;
  annotations: unknown;
}

/**
 * Returns a tool as MCP lists it. Clients of SDK v1 validate even a failed call's structured
 * content against the output schema, so the schema also allows an error (mcp.md 9).
 */
export const formatTool = (tool: ListedTool): object => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: tool.input_schema,
  ...(tool.output_schema == null ? {} : { outputSchema: allowError(tool.output_schema) }),
  annotations: tool.annotations,
});

function allowError(schema: unknown): object {
  const { $defs, $schema, ...result } = schema as Readonly<Record<string, unknown>>;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    anyOf: [result, { required: ['error'] }],
    ...($defs === undefined ? {} : { $defs }),
  };
}

export const formatPrompt = (prompt: PromptItem): object => ({
  name: prompt.name,
  ...shownTexts(prompt),
  arguments: prompt.arguments.map(({ name, description, required }) => ({
    name,
    ...(description === null ? {} : { description }),
    required,
  })),
});

export const formatResource = (resource: ResourceItem): object => ({
  uri: resource.uri,
  name: resource.name,
  ...shownTexts(resource),
  mimeType: resource.mime_type,
  ...(resource.size === null ? {} : { size: resource.size }),
});

const shownTexts = ({ title, description }: PromptItem | ResourceItem) => ({
  ...(title === null ? {} : { title }),
  ...(description === null ? {} : { description }),
});
