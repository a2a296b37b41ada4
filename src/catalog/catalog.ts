import { createHash } from 'node:crypto';
import type { PlatformPrompt } from './prompt.ts';
import { prompts as platformPrompts } from './prompts.ts';
import type { BuiltInTool } from './tool.ts';
import { tools as builtInTools } from './tools.ts';

/** Ids of the tools every credential has, by name; no other tool has these names. */
export const systemTools = {
  setup: '0199c0de-0000-7000-8000-000000000001',
  bootstrap: '0199c0de-0000-7000-8000-000000000002',
  agent_context: '0199c0de-0000-7000-8000-000000000003',
} as const;
export const systemToolNames: readonly string[] = Object.keys(systemTools);

export interface Catalog {
  /** By name, deprecated ones included. */
  tools(): readonly BuiltInTool[];
  toolById(id: string): BuiltInTool | undefined;
  /** By name, deprecated ones included. */
  prompts(): readonly PlatformPrompt[];
  promptById(id: string): PlatformPrompt | undefined;
  /** Changes when anything a list shows changes. */
  version: string;
}

/** A catalogue of these items; tests give their own. */
export function createCatalog(
  tools: readonly BuiltInTool[],
  prompts: readonly PlatformPrompt[] = [],
): Catalog {
  const sorted = byName(tools);
  const sortedPrompts = byName(prompts);
  const byId = idsOf(sorted);
  const promptsById = idsOf(sortedPrompts);
  const shown = sorted.map((tool) => [
    tool.id,
    tool.name,
    tool.title,
    tool.description,
    tool.input_schema,
    tool.output_schema,
    tool.annotations,
    tool.deprecated ?? false,
  ]);
  const version = createHash('sha256')
    .update(JSON.stringify([shown, sortedPrompts]))
    .digest('base64url');
  return {
    tools: () => sorted,
    toolById: (id) => byId.get(id),
    prompts: () => sortedPrompts,
    promptById: (id) => promptsById.get(id),
    version,
  };
}

const byName = <Item extends { name: string }>(items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => (a.name < b.name ? -1 : 1));

function idsOf<Item extends { id: string; name: string }>(items: readonly Item[]) {
  const ids = new Map(items.map((item) => [item.id, item]));
  const names = new Set(items.map(({ name }) => name));
  if (ids.size < items.length || names.size < items.length)
    throw new Error('Two built-in items share an id or a name.');
  return ids;
}

/** What ships with the gateway. */
export const catalog: Catalog = createCatalog(builtInTools, platformPrompts);
