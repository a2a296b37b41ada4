import type { AgentPrincipal } from '../../caller/principal.ts';
import type { ToolItem, View, Visibility } from '../../visibility/visibility.ts';
import { runToolEntry } from '../search/run-tool-entry.ts';
import { searchToolsEntry } from '../search/search-tools-entry.ts';
import type { ListedTool } from './listed.ts';

type Caller = Pick<AgentPrincipal, 'tool_listing'>;

/** Returns the tools with which a caller finds and calls others; none if it lists them all. */
export const searchToolsOf = (
  { tool_listing }: Caller,
  { capabilities }: Pick<View, 'capabilities'>,
): readonly ListedTool[] =>
  tool_listing === 'search' && capabilities.has('tools') ? SEARCH_TOOLS : [];

const SEARCH_TOOLS: readonly ListedTool[] = [searchToolsEntry, runToolEntry];

/** Returns the caller's tools, as far as `tools/list` has them: all, or none if it searches. */
export const listedTools = (
  { list }: Pick<Visibility, 'list'>,
  { tool_listing }: Caller,
  view: View,
): readonly ToolItem[] => (tool_listing === 'search' ? [] : list(view, 'tool'));
