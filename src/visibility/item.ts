import type {
  BuiltInTool,
  JsonSchema,
  PlatformPrompt,
  RunnableTool,
  ToolAnnotations,
  ToolRequirement,
} from '../catalog/catalog.ts';
import type { AgentSummary } from '../content/agents/schema.ts';
import type { Family } from '../content/items/schema.ts';
import type { Prefix, StoredItem } from '../content/content.ts';
import type { PromptSummary } from '../content/prompts/schema.ts';
import type { ResourceSummary } from '../content/resources/schema.ts';
import type { ToolSummary } from '../content/tools/schema.ts';
import { qualifiedName, versionMark } from '../content/content.ts';
import { resourceUri } from '../policies/resource-path.ts';

interface ItemFacts {
  id: string;
  /** Space of a user-defined item; null for a built-in one. */
  space_id: string | null;
  /** The MCP name, with the prefix of the place; for a resource, its path. */
  name: string;
  /** Changes whenever a field that lists show changes. */
  version: string;
}

export interface ToolItem extends ItemFacts {
  family: 'tool';
  title: string;
  description: string;
  input_schema: JsonSchema;
  output_schema: JsonSchema | null;
  annotations: ToolAnnotations;
  origin: 'builtin' | 'custom';
  requires: ToolRequirement;
  tool: RunnableTool;
}

export interface PromptItem extends ItemFacts, PromptSummary {
  family: 'prompt';
  origin: 'own' | 'platform';
}

export interface ResourceItem extends ItemFacts, ResourceSummary {
  space_id: string;
  family: 'resource';
  origin: 'own';
  uri: string;
}

export interface AgentItem extends ItemFacts, AgentSummary {
  space_id: string;
  family: 'agent';
}

export interface ItemOf {
  tool: ToolItem;
  prompt: PromptItem;
  resource: ResourceItem;
  agent: AgentItem;
}
export type Item = ItemOf[Family];

/**
 * Returns the item's key within its family and view, by which lists are sorted. Resources use the
 * URI, since several places may have the same path.
 */
export const addressOf = (item: Item): string =>
  item.family === 'resource' ? item.uri : item.name;

/** Makes a stored custom tool callable. */
export type Runnable = (stored: StoredItem) => RunnableTool;

export const toolItem = (tool: BuiltInTool, version: string): ToolItem => ({
  family: 'tool',
  id: tool.id,
  space_id: null,
  name: tool.name,
  title: tool.title,
  description: tool.description,
  input_schema: tool.input_schema,
  output_schema: tool.output_schema,
  annotations: tool.annotations,
  origin: 'builtin',
  version,
  requires: tool.requires ?? NOTHING,
  tool,
});

const NOTHING: ToolRequirement = {};

const facts = (stored: StoredItem, prefix: Prefix) => ({
  id: stored.id,
  space_id: stored.space_id,
  name: qualifiedName(prefix, stored),
  version: versionMark(stored),
});

export const platformPromptItem = (prompt: PlatformPrompt, version: string): PromptItem => ({
  family: 'prompt',
  id: prompt.id,
  space_id: null,
  name: prompt.name,
  title: prompt.title,
  description: prompt.description,
  arguments: [...prompt.arguments],
  origin: 'platform',
  version,
});

/**
 * Builds an item from its row. The head is not validated again: a malformed head is a defect, and
 * must not make the item disappear.
 */
export function ownItem(stored: StoredItem, prefix: Prefix, runnable: Runnable): Item {
  const { family, head } = stored;
  if (family === 'tool') return customToolItem(stored, prefix, runnable(stored));
  if (family === 'prompt')
    return { ...facts(stored, prefix), ...(head as PromptSummary), family, origin: 'own' };
  if (family === 'resource') return resourceItem(stored, prefix);
  return { ...facts(stored, prefix), ...(head as AgentSummary), family };
}

const resourceItem = (stored: StoredItem, prefix: Prefix): ResourceItem => ({
  ...facts(stored, prefix),
  ...(stored.head as ResourceSummary),
  family: 'resource',
  origin: 'own',
  uri: resourceUri(prefix.uri, stored.name),
});

function customToolItem(stored: StoredItem, prefix: Prefix, tool: RunnableTool): ToolItem {
  const head = stored.head as ToolSummary;
  const { title, description, input_schema, annotations } = head;
  return {
    ...facts(stored, prefix),
    family: 'tool',
    title: title ?? stored.name,
    description,
    input_schema,
    output_schema: head.kind === 'http' ? HTTP_RESULT : head.output_schema,
    annotations,
    origin: 'custom',
    requires: NOTHING,
    tool,
  };
}

/** Output schema of every custom tool of kind `http`. */
const HTTP_RESULT = {
  type: 'object',
  properties: {
    status: { type: 'integer', description: 'HTTP status of the response.' },
    result: { description: 'JSON or text of the response, as mapped by the tool.' },
  },
  required: ['status', 'result'],
};
