import { credentialId } from '../caller/caller.ts';
import { unavailable } from '../platform/refusal.ts';
import type { Visibility } from '../visibility/visibility.ts';
import type { Call, Reply } from './call.ts';
import type { Cursors } from './cursor.ts';
import { createKeptPages } from './listed-tool.ts';
import type { ListedTool } from './listed-tool.ts';
import type { SystemTool } from './system/system-tool.ts';

const PAGE_ITEMS = 200;

export interface ListDependencies {
  visibility: Pick<Visibility, 'tools'>;
  systemTools: readonly SystemTool[];
  cursors: Cursors;
  pageItems?: number;
}

/**
 * The lists, one per family. What a credential sees is decided for every request, by the function
 * that decides its calls; only texts of what was decided are kept, so no list can be stale.
 */
export function createLists(dependencies: ListDependencies) {
  const { visibility, systemTools, cursors, pageItems = PAGE_ITEMS } = dependencies;
  const pages = createKeptPages();

  function listTools(call: Call): Reply {
    const credential = credentialId(call.caller);
    const after = placeAfter(call, 'tools', credential);
    if (call.view === null) throw unavailable('what the caller reaches is not known');
    const listed: ListedTool[] = [...systemTools, ...visibility.tools(call.view)];
    const begin = after === '' ? 0 : listed.findIndex((_, index) => placeOf(listed, index) > after);
    const page = begin < 0 ? [] : listed.slice(begin, begin + pageItems);
    const end = begin + page.length;
    const next =
      page.length > 0 && end < listed.length
        ? `,"nextCursor":${JSON.stringify(cursors.seal('tools', credential, placeOf(listed, end - 1)))}`
        : '';
    return { text: `{"tools":[${pages.textOf(credential, page)}]${next}}` };
  }

  /** System tools come first, in their own order; a tool that goes leaves its place behind. */
  const placeOf = (listed: readonly ListedTool[], index: number) =>
    index < systemTools.length ? `0${index}` : `1${listed[index]!.name}`;

  /** Families nobody has an item of; still no foreign cursor passes. */
  function listNone(list: string, member: string) {
    return (call: Call): Reply => {
      placeAfter(call, list, credentialId(call.caller));
      if (call.view === null) throw unavailable('what the caller reaches is not known');
      return { result: { [member]: [] } };
    };
  }

  function placeAfter(call: Call, list: string, credential: string): string {
    const cursor = (call.params as { cursor?: unknown } | undefined)?.cursor;
    return cursor === undefined ? '' : cursors.open(list, credential, cursor);
  }

  return {
    tools: listTools,
    prompts: listNone('prompts', 'prompts'),
    resources: listNone('resources', 'resources'),
    resourceTemplates: listNone('resources/templates', 'resourceTemplates'),
  };
}
