import { unavailable } from '../../platform/errors/refusal.ts';
import type { View, Visibility } from '../../visibility/visibility.ts';
import type { Call, Reply } from '../protocol/call.ts';
import type { Cursors } from '../protocol/cursor.ts';
import { createKeptPages } from './kept-pages.ts';
import { listedPrompt, listedResource, listedTool } from './listed.ts';
import type { ListedTool } from './listed.ts';
import type { SystemTool } from '../system/system-tool.ts';

const PAGE_ITEMS = 200;

export interface ListDependencies {
  visibility: Pick<Visibility, 'list'>;
  systemTools: readonly SystemTool[];
  cursors: Cursors;
  pageItems?: number;
}

interface Listing<Listed> {
  /** What its cursors are sealed for. */
  list: string;
  /** The member of the result that holds the items. */
  member: string;
  /** In their order. */
  items(view: View): readonly Listed[];
  /** What comes first whoever asks, in an order of its own. */
  first?: readonly Listed[];
  shown(one: Listed): object;
}

/**
 * The lists, one per family. What a credential sees is decided for every request, by the function
 * that decides its calls; only texts of what was decided are kept, so no list can be stale.
 */
export function createLists(dependencies: ListDependencies) {
  const { visibility, systemTools, cursors, pageItems = PAGE_ITEMS } = dependencies;

  function listing<Listed extends { name: string }>(of: Listing<Listed>) {
    const { list, member, first = [] } = of;
    const pages = createKeptPages(of.shown);
    // An item that goes leaves its place behind.
    const placeOf = (listed: readonly Listed[], index: number) =>
      index < first.length ? `0${index}` : `1${listed[index]!.name}`;

    return (call: Call): Reply => {
      const credential = call.caller.credential.id;
      const after = placeAfter(call, list, credential);
      if (call.view === null) throw unavailable('what the caller reaches is not known');
      const listed = [...first, ...of.items(call.view)];
      const begin =
        after === '' ? 0 : listed.findIndex((_, index) => placeOf(listed, index) > after);
      const page = begin < 0 ? [] : listed.slice(begin, begin + pageItems);
      const end = begin + page.length;
      const next =
        page.length > 0 && end < listed.length
          ? `,"nextCursor":${JSON.stringify(cursors.seal(list, credential, placeOf(listed, end - 1)))}`
          : '';
      const bytes = pages.bytesOf(credential, page);
      return { kept: { before: `{"${member}":[`, bytes, after: `]${next}}` } };
    };
  }

  function placeAfter(call: Call, list: string, credential: string): string {
    const cursor = (call.params as { cursor?: unknown } | undefined)?.cursor;
    return cursor === undefined ? '' : cursors.open(list, credential, cursor);
  }

  return {
    tools: listing<ListedTool>({
      list: 'tools',
      member: 'tools',
      first: systemTools,
      items: (view) => visibility.list(view, 'tool'),
      shown: listedTool,
    }),
    prompts: listing({
      list: 'prompts',
      member: 'prompts',
      items: (view) => visibility.list(view, 'prompt'),
      shown: listedPrompt,
    }),
    resources: listing({
      list: 'resources',
      member: 'resources',
      items: (view) => visibility.list(view, 'resource'),
      shown: listedResource,
    }),
    // A resource is known by its whole URI; there is nothing to fill in.
    resourceTemplates: listing({
      list: 'resources/templates',
      member: 'resourceTemplates',
      items: () => [],
      shown: (none: { name: string }) => none,
    }),
  };
}
