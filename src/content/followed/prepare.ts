import { nextTurn } from '../../platform/concurrency/turns.ts';
import { mcpContentOf, mcpProblems } from '../tools/mcp-tool.ts';
import type { McpContent } from '../tools/schema.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';

/** A tool of an upstream with the content that it would have here. */
export interface PreparedTool {
  tool: UpstreamTool;
  content: McpContent;
  /** Why it cannot be a custom tool; null if it can. */
  problem: string | null;
}

/** Converts and checks the descriptions of tools, each of which may take milliseconds. */
export async function prepareTools(
  upstream_id: string,
  tools: readonly UpstreamTool[],
  fairnessKey: string,
): Promise<PreparedTool[]> {
  const prepared: PreparedTool[] = [];
  for (const tool of tools) {
    const content = mcpContentOf(upstream_id, tool);
    const [problem] = mcpProblems(content);
    prepared.push({ tool, content, problem: problem?.message ?? null });
    await nextTurn(fairnessKey);
  }
  return prepared;
}
