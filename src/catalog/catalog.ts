import { createHash } from 'node:crypto';
import type { PlatformPrompt } from './prompt.ts';
import { prompts as platformPrompts } from './prompts.ts';
import type { BuiltInTool } from './tool.ts';
import { tools as builtInTools } from './tools.ts';

export type { PlatformPrompt } from './prompt.ts';
export { ToolDeleted, ToolFailure } from './tool-failure.ts';
export { PassthroughResult, PURE } from './tool.ts';
export type {
  BuiltInTool,
  JsonSchema,
  Progress,
  RunnableTool,
  ToolAnnotations,
  ToolContext,
  ToolRequirement,
  WorkerPool,
} from './tool.ts';

/** Ids of the system tools, by name. Every credential has them; no other tool may use the names. */
export const systemTools = {
  setup: '0199c0de-0000-7000-8000-000000000001',
  bootstrap: '0199c0de-0000-7000-8000-000000000002',
  agent_context: '0199c0de-0000-7000-8000-000000000003',
} as const;
export const systemToolNames: readonly string[] = Object.keys(systemTools);

/**
 * Ids of the tools with which a credential finds and calls tools that it does not list, by name. No
 * other tool may use the names.
 */
export const searchTools = {
  search_tools: '0199c0de-0000-7000-8000-000000000004',
  run_tool: '0199c0de-0000-7000-8000-000000000005',
} as const;
export const reservedToolNames: readonly string[] = [
  ...systemToolNames,
  ...Object.keys(searchTools),
];

/** Returns whether a name is that of a tool of the gateway itself, which no item may have. */
export const isReservedToolName = (name: string): boolean => reservedToolNames.includes(name);

/** Whether a built-in item exists and can still be selected or named in a policy. */
export const isCurrent = (item: { deprecated?: boolean } | undefined): boolean =>
  item !== undefined && item.deprecated !== true;

/** Creates a catalog of these items; tests pass their own. */
export function createCatalog(
  tools: readonly BuiltInTool[],
  prompts: readonly PlatformPrompt[] = [],
) {
  const sorted = byName(tools);
  const sortedPrompts = byName(prompts);
  const byId = idsOf(sorted);
  const promptsById = idsOf(sortedPrompts);
  const listedFields = sorted.map((tool) => [
    tool.id,
    tool.name,
    tool.title,
    tool.description,
    tool.input_schema,
    tool.output_schema,
    tool.annotations,
    tool.deprecated ?? false,
  ]);
  /** Changes whenever a field that lists show changes. */
  const version = createHash('sha256')
    .update(JSON.stringify([listedFields, sortedPrompts]))
    .digest('base64url');
  return {
    /** Returns all tools sorted by name, including deprecated ones. */
    tools: (): readonly BuiltInTool[] => sorted,
    toolById: (id: string) => byId.get(id),
    /** Returns all prompts sorted by name, including deprecated ones. */
    prompts: (): readonly PlatformPrompt[] => sortedPrompts,
    promptById: (id: string) => promptsById.get(id),
    version,
  };
}
export type Catalog = ReturnType<typeof createCatalog>;

const byName = <Item extends { name: string }>(items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => (a.name < b.name ? -1 : 1));

function idsOf<Item extends { id: string; name: string }>(items: readonly Item[]) {
  const ids = new Map(items.map((item) => [item.id, item]));
  const names = new Set(items.map(({ name }) => name));
  if (ids.size < items.length || names.size < items.length)
    throw new Error('Two built-in items have the same id or name.');
  return ids;
}

/** The catalog that ships with the gateway. */
export const catalog: Catalog = createCatalog(builtInTools, platformPrompts);
