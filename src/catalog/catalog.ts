import { createHash } from 'node:crypto';
import type { BuiltInTool } from './tool.ts';
import { tools as builtInTools } from './tools.ts';

export interface Catalog {
  /** By name, deprecated ones included. */
  tools(): readonly BuiltInTool[];
  toolById(id: string): BuiltInTool | undefined;
  /** Changes when anything a list shows changes. */
  version: string;
}

/** A catalogue of these tools; tests give their own. */
export function createCatalog(tools: readonly BuiltInTool[]): Catalog {
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const byId = new Map(sorted.map((tool) => [tool.id, tool]));
  const names = new Set(sorted.map((tool) => tool.name));
  if (byId.size < sorted.length || names.size < sorted.length)
    throw new Error('Two built-in tools share an id or a name.');
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
  const version = createHash('sha256').update(JSON.stringify(shown)).digest('base64url');
  return {
    tools: () => sorted,
    toolById: (id) => byId.get(id),
    version,
  };
}

/** What ships with the gateway. */
export const catalog: Catalog = createCatalog(builtInTools);
