import type { PlatformPrompt } from '../catalog/prompt.ts';
import type { BuiltInTool, JsonSchema, ToolAnnotations } from '../catalog/tool.ts';
import type { AgentHead } from '../content/agents/schema.ts';
import type { Family } from '../content/items/schema.ts';
import type { StoredItem } from '../content/items/items.ts';
import type { PromptHead } from '../content/prompts/schema.ts';
import type { ResourceHead } from '../content/resources/schema.ts';

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
  origin: 'builtin';
  tool: BuiltInTool;
}

export interface PromptItem extends ItemFacts, PromptHead {
  family: 'prompt';
  origin: 'own' | 'platform';
}

export interface ResourceItem extends ItemFacts, ResourceHead {
  family: 'resource';
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
type OwnItem = Exclude<Item, ToolItem>;

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
  tool,
});

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
export function ownItem(stored: StoredItem): OwnItem {
  switch (stored.family) {
    case 'prompt':
      return {
        ...facts(stored),
        ...(stored.head as PromptHead),
        family: 'prompt',
        origin: 'own',
      };
    case 'resource':
      return {
        ...facts(stored),
        ...(stored.head as ResourceHead),
        family: 'resource',
        uri: uriOf(stored.name),
      };
    case 'agent':
      return { ...facts(stored), ...(stored.head as AgentHead), family: 'agent' };
    case 'tool':
      break;
  }
  throw new TypeError(`Nobody can have an item of the family ${stored.family} yet.`);
}

/** `toolgate://me/<path>`; a path is normalised, so one resource is one URI. */
const uriOf = (path: string): string =>
  `toolgate://me/${path.split('/').map(encodeURIComponent).join('/')}`;
