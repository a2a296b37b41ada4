import type { PlatformPrompt } from '../catalog/prompt.ts';
import type {
  BuiltInTool,
  JsonSchema,
  RunnableTool,
  ToolAnnotations,
  ToolRequirement,
} from '../catalog/tool.ts';
import type { AgentHead } from '../content/agents/schema.ts';
import type { Family } from '../content/items/schema.ts';
import type { StoredItem } from '../content/items/items.ts';
import type { PromptHead } from '../content/prompts/schema.ts';
import type { ResourceHead } from '../content/resources/schema.ts';
import type { ToolHead } from '../content/tools/schema.ts';
import { uriOf } from '../policies/resource-path.ts';

interface ItemFacts {
  id: string;
  /** As MCP names it; of a resource its path. */
  name: string;
  /** Another one whenever anything a list shows of it is another. */
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

export interface PromptItem extends ItemFacts, PromptHead {
  family: 'prompt';
  origin: 'own' | 'platform';
}

export interface ResourceItem extends ItemFacts, ResourceHead {
  family: 'resource';
  origin: 'own';
  uri: string;
}

export interface AgentItem extends ItemFacts, AgentHead {
  family: 'agent';
}

export interface ItemOf {
  tool: ToolItem;
  prompt: PromptItem;
  resource: ResourceItem;
  agent: AgentItem;
}
export type Item = ItemOf[Family];

/** What a call of a custom tool runs. */
export type Runnable = (stored: StoredItem) => RunnableTool;

export const toolItem = (tool: BuiltInTool, version: string): ToolItem => ({
  family: 'tool',
  id: tool.id,
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

const facts = ({ id, name, version }: StoredItem) => ({ id, name, version: String(version) });

export const platformPromptItem = (prompt: PlatformPrompt, version: string): PromptItem => ({
  family: 'prompt',
  id: prompt.id,
  name: prompt.name,
  title: prompt.title,
  description: prompt.description,
  arguments: [...prompt.arguments],
  origin: 'platform',
  version,
});

/** An own item as its row shows it; a row that is not in shape is a defect, never a missing item. */
export function ownItem(stored: StoredItem, runnable: Runnable): Item {
  const { family, head } = stored;
  if (family === 'tool') return customToolItem(stored, runnable(stored));
  if (family === 'prompt')
    return { ...facts(stored), ...(head as PromptHead), family, origin: 'own' };
  if (family === 'resource') return resourceItem(stored);
  return { ...facts(stored), ...(head as AgentHead), family };
}

const resourceItem = (stored: StoredItem): ResourceItem => ({
  ...facts(stored),
  ...(stored.head as ResourceHead),
  family: 'resource',
  origin: 'own',
  uri: uriOf(stored.name),
});

function customToolItem(stored: StoredItem, tool: RunnableTool): ToolItem {
  const head = stored.head as ToolHead;
  const { title, description, input_schema, annotations } = head;
  return {
    ...facts(stored),
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

/** What every custom tool of kind `http` answers. */
const HTTP_RESULT = {
  type: 'object',
  properties: {
    status: { type: 'integer', description: 'HTTP status of the answer.' },
    result: { description: 'JSON or text of the answer, as the tool maps it.' },
  },
  required: ['status', 'result'],
};
