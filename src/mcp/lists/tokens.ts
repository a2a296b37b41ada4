import type { Agents } from '../../content/content.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Steps } from '../../platform/concurrency/turns.ts';
import type { ToolListing } from '../../caller/schema.ts';
import type { ToolItem, View } from '../../visibility/visibility.ts';
import { createSystemTools } from '../system/system-tools.ts';
import type { SystemToolsDependencies } from '../system/system-tools.ts';
import { formatTool } from './listed.ts';
import type { ListedTool } from './listed.ts';
import { searchToolsOf } from './searching.ts';

// What a token of English text and of JSON has on average, in the tokenizers of common models.
const CHARACTERS_PER_TOKEN = 4;

/** What a credential may use, and how it lists its tools. */
export interface ListingView {
  view: Pick<View, 'connected' | 'capabilities'>;
  tool_listing: ToolListing;
}

/**
 * Creates a function that estimates how many tokens `tools/list` takes in a model's context: the
 * given tools, or those that search for them, and, for a connected credential, the system tools.
 */
export function createListTokens(
  { PUBLIC_URL: publicUrl }: Pick<Config, 'PUBLIC_URL'>,
  visibility: SystemToolsDependencies['visibility'],
  { contentAt: readAgent }: Pick<Agents, 'contentAt'>,
) {
  const systemTools: readonly ListedTool[] = createSystemTools({
    ...{ publicUrl, visibility, readAgent },
  });
  // An item is the same object until its space changes.
  const sizes = new WeakMap<ListedTool, number>();
  const sizeOf = (tool: ListedTool): number => {
    let size = sizes.get(tool);
    if (size === undefined) sizes.set(tool, (size = JSON.stringify(formatTool(tool)).length));
    return size;
  };
  return function* listTokens(
    tools: readonly ToolItem[],
    { view, tool_listing }: ListingView,
  ): Steps<number> {
    const own = tool_listing === 'search' ? searchToolsOf({ tool_listing }, view) : tools;
    let characters = 0;
    for (const tool of view.connected ? [...systemTools, ...own] : own) {
      characters += sizeOf(tool);
      yield;
    }
    return Math.ceil(characters / CHARACTERS_PER_TOKEN);
  };
}
