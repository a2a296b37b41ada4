import { Patterns } from '../../policies/patterns.ts';
import { inTurns } from '../../platform/concurrency/turns.ts';
import type { Steps } from '../../platform/concurrency/turns.ts';
import { annotationsOf } from '../tools/mcp-tool.ts';
import { MAX_TOOL_NAME } from '../tools/schema.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';
import type { ToolFilter } from './schema.ts';

/**
 * Returns the tools that meet every condition of a filter. Both may be hostile, so their names are
 * compared in turns. One whose name is too long for a tool is returned, to be skipped for that.
 */
export const filterTools = (
  tools: readonly UpstreamTool[],
  filter: ToolFilter,
  fairnessKey: string,
): Promise<UpstreamTool[]> => inTurns(fairnessKey, filtered(tools, filter));

function* filtered(tools: readonly UpstreamTool[], filter: ToolFilter): Steps<UpstreamTool[]> {
  const isNamed = ({ name }: UpstreamTool) => name.length <= MAX_TOOL_NAME;
  const named = tools.filter(isNamed);
  const [names, except] = [filter.names, filter.except].map((list) =>
    list === undefined ? null : new Patterns(list),
  );
  for (const patterns of [names, except]) if (patterns) yield* patterns.precompute(named);
  const fits = (wanted: boolean | undefined, hint: boolean) =>
    wanted === undefined || wanted === hint;
  return tools.filter((tool) => {
    const { name, annotations } = tool;
    if (!isNamed(tool)) return true;
    if (names && names.first(name) === null) return false;
    if (except && except.first(name) !== null) return false;
    const hints = annotationsOf(annotations);
    return (
      fits(filter.read_only, hints.readOnlyHint) &&
      // A tool that only reads destroys nothing, whatever its hint says.
      fits(filter.destructive, hints.destructiveHint && !hints.readOnlyHint) &&
      fits(filter.idempotent, hints.idempotentHint) &&
      fits(filter.open_world, hints.openWorldHint)
    );
  });
}
