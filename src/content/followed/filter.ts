import { Patterns } from '../../policies/patterns.ts';
import { annotationsOf } from '../tools/mcp-tool.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';
import type { ToolFilter } from './schema.ts';

/** Returns the tools that meet every condition of a filter. */
export function filterTools(tools: readonly UpstreamTool[], filter: ToolFilter): UpstreamTool[] {
  const [names, except] = [filter.names, filter.except].map((list) =>
    list === undefined ? null : new Patterns(list),
  );
  const fits = (wanted: boolean | undefined, hint: boolean) =>
    wanted === undefined || wanted === hint;
  return tools.filter(({ name, annotations }) => {
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
