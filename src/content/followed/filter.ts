import { Patterns } from '../../policies/patterns.ts';
import { inTurns } from '../../platform/concurrency/turns.ts';
import type { Steps } from '../../platform/concurrency/turns.ts';
import { resourcePathOf } from '../resources/upstream-resource.ts';
import { annotationsOf } from '../tools/mcp-tool.ts';
import { MAX_TOOL_NAME } from '../tools/schema.ts';
import { hasStorableSource } from '../upstreams/content/problems.ts';
import type { AnyUpstreamContent } from '../upstreams/content/schema.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';
import type { ContentFilter, ToolFilter } from './schema.ts';

/**
 * Returns the prompts or resources that meet every condition of a filter. That of resources is about
 * the path that each gets here, without the prefix: globs, as in policies, cannot match a URI.
 * One whose name or URI is too long is returned, to be skipped for that.
 */
export const filterContent = <Found extends AnyUpstreamContent>(
  listed: readonly Found[],
  filter: ContentFilter,
  fairnessKey: string,
): Promise<Found[]> =>
  inTurns(
    fairnessKey,
    named(listed, filter, (found) => {
      if (!hasStorableSource(found)) return null;
      return 'uri' in found ? resourcePathOf('', found.uri) : found.name;
    }),
  );

/**
 * Returns the tools that meet every condition of a filter. One whose name is too long for a tool is
 * returned, to be skipped for that.
 */
export async function filterTools(
  tools: readonly UpstreamTool[],
  filter: ToolFilter,
  fairnessKey: string,
): Promise<UpstreamTool[]> {
  const fits = (wanted: boolean | undefined, hint: boolean) =>
    wanted === undefined || wanted === hint;
  const nameOf = ({ name }: UpstreamTool) => (name.length <= MAX_TOOL_NAME ? name : null);
  const found = await inTurns(fairnessKey, named(tools, filter, nameOf));
  return found.filter((tool) => {
    if (nameOf(tool) === null) return true;
    const hints = annotationsOf(tool.annotations);
    return (
      fits(filter.read_only, hints.readOnlyHint) &&
      // A tool that only reads destroys nothing, whatever its hint says.
      fits(filter.destructive, hints.destructiveHint && !hints.readOnlyHint) &&
      fits(filter.idempotent, hints.idempotentHint) &&
      fits(filter.open_world, hints.openWorldHint)
    );
  });
}

/**
 * Compares names with the patterns of a filter; both may be hostile. What has none that can be compared
 * is kept.
 */
function* named<Found>(
  listed: readonly Found[],
  filter: ContentFilter,
  nameOf: (found: Found) => string | null,
): Steps<Found[]> {
  const [names, except] = [filter.names, filter.except].map((list) =>
    list === undefined ? null : new Patterns(list),
  );
  const all = listed.map((found) => ({ found, name: nameOf(found) }));
  const comparable = all.flatMap(({ name }) => (name === null ? [] : [{ name }]));
  for (const patterns of [names, except]) if (patterns) yield* patterns.precompute(comparable);
  return all
    .filter(
      ({ name }) =>
        name === null ||
        ((!names || names.first(name) !== null) && (!except || except.first(name) === null)),
    )
    .map(({ found }) => found);
}
