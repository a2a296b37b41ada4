import { nextTurn } from '../../platform/concurrency/turns.ts';
import { promptContentOf, promptProblem } from '../prompts/upstream-prompt.ts';
import {
  resourceContentOf,
  resourcePathOf,
  resourceProblem,
} from '../resources/upstream-resource.ts';
import { mcpContentOf, mcpProblems } from '../tools/mcp-tool.ts';
import type { UpstreamPrompt, UpstreamResource } from '../upstreams/content/schema.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';
import { toolNameOf } from './tool-name.ts';

/** An item of an upstream, with the name and content that it would have here. */
export interface Prepared {
  /** Name or URI at the upstream. */
  source: string;
  pin: string;
  description: string | null;
  name: string;
  content: object;
  /** Why it cannot be an item; null if it can. */
  problem: string | null;
}

/** Converts and checks the descriptions of tools, each of which may take milliseconds. */
export async function prepareTools(
  upstream_id: string,
  { tools, prefix }: { tools: readonly UpstreamTool[]; prefix: string },
  fairnessKey: string,
): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const tool of tools) {
    const { name: source, pin, description } = tool;
    const content = mcpContentOf(upstream_id, tool);
    const [problem] = mcpProblems(content);
    const name = toolNameOf(prefix, source);
    prepared.push({ source, pin, description, name, content, problem: problem?.message ?? null });
    await nextTurn(fairnessKey);
  }
  return prepared;
}

/** Converts and checks the descriptions of prompts. */
export const preparePrompts = (
  upstream_id: string,
  { prompts, prefix }: { prompts: readonly UpstreamPrompt[]; prefix: string },
): Prepared[] =>
  prompts.map((prompt) => ({
    ...{ source: prompt.name, pin: prompt.pin, description: prompt.description },
    name: toolNameOf(prefix, prompt.name),
    content: promptContentOf(upstream_id, prompt),
    problem: promptProblem(prompt),
  }));

/** Converts and checks the descriptions of resources. */
export const prepareResources = (
  upstream_id: string,
  { resources, prefix }: { resources: readonly UpstreamResource[]; prefix: string },
): Prepared[] =>
  resources.map((resource) => ({
    ...{ source: resource.uri, pin: resource.pin, description: resource.description },
    name: resourcePathOf(prefix, resource.uri),
    content: resourceContentOf(upstream_id, resource),
    problem: resourceProblem(resource),
  }));
