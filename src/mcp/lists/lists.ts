import type { AgentPrincipal } from '../../caller/principal.ts';
import { addressOf } from '../../visibility/visibility.ts';
import type { View, Visibility } from '../../visibility/visibility.ts';
import type { Call, Reply } from '../protocol/call.ts';
import type { Cursors } from '../protocol/cursor.ts';
import { createPageCache } from './page-cache.ts';
import { formatPrompt, formatResource, formatTool } from './listed.ts';
import { listedTools, searchToolsOf } from './searching.ts';
import type { ListedTool } from './listed.ts';
import type { SystemTool } from '../system/system-tool.ts';

const PAGE_ITEMS = 200;

export interface ListDependencies {
  visibility: Pick<Visibility, 'list'>;
  systemTools: readonly SystemTool[];
  cursors: Cursors;
  pageItems?: number;
}

interface ListDefinition<Listed> {
  /** Name of the list that its cursors are sealed for. */
  list: string;
  /** Member of the result that contains the items. */
  member: string;
  /** Returns the items in order. */
  items(view: View, caller: AgentPrincipal): readonly Listed[];
  /** Returns the items that come first, in their own order. */
  first?(view: View, caller: AgentPrincipal): readonly Listed[];
  shown(one: Listed): object;
  /** Returns the unique sort key of an item. */
  addressOf(one: Listed): string;
}

/**
 * Creates the list methods, one per family. Each request decides what the credential sees, with the
 * same function as calls; only texts are cached, so no list can be stale.
 */
export function createLists(dependencies: ListDependencies) {
  const { visibility, systemTools, cursors, pageItems = PAGE_ITEMS } = dependencies;

  function createList<Listed extends object>(definition: ListDefinition<Listed>) {
    const { list, member } = definition;
    const pages = createPageCache(definition.shown);
    return async (call: Call): Promise<Reply> => {
      const { caller } = call;
      const credential = caller.credential.id;
      const after = positionAfter(call, list, credential);
      const view = await call.view();
      const first = definition.first?.(view, caller) ?? [];
      const listed = [...first, ...definition.items(view, caller)];
      // A cursor is a sort key, so it stays valid after its item is deleted.
      const positionOf = (index: number) =>
        index < first.length ? `0${index}` : `1${definition.addressOf(listed[index]!)}`;
      const begin = after === '' ? 0 : listed.findIndex((_, index) => positionOf(index) > after);
      const page = begin < 0 ? [] : listed.slice(begin, begin + pageItems);
      const end = begin + page.length;
      const next =
        page.length > 0 && end < listed.length
          ? `,"nextCursor":${JSON.stringify(cursors.seal(list, credential, positionOf(end - 1)))}`
          : '';
      const bytes = pages.bytesOf(credential, page);
      return { cached: { before: `{"${member}":[`, bytes, after: `]${next}}` } };
    };
  }

  function positionAfter(call: Call, list: string, credential: string): string {
    const cursor = (call.params as { cursor?: unknown } | undefined)?.cursor;
    return cursor === undefined ? '' : cursors.open(list, credential, cursor);
  }

  return {
    tools: createList<ListedTool>({
      list: 'tools',
      member: 'tools',
      first: (view, caller) => [...systemTools, ...searchToolsOf(caller, view)],
      items: (view, caller) => listedTools(visibility, caller, view),
      shown: formatTool,
      addressOf: ({ name }) => name,
    }),
    prompts: createList({
      list: 'prompts',
      member: 'prompts',
      items: (view) => visibility.list(view, 'prompt'),
      shown: formatPrompt,
      addressOf,
    }),
    resources: createList({
      list: 'resources',
      member: 'resources',
      items: (view) => visibility.list(view, 'resource'),
      shown: formatResource,
      addressOf,
    }),
    // Resources have complete URIs, so there are no templates.
    resourceTemplates: createList({
      list: 'resources/templates',
      member: 'resourceTemplates',
      items: () => [],
      shown: (item: object) => item,
      addressOf: () => '',
    }),
  };
}
