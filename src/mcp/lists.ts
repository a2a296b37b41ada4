import { credentialId } from '../caller/caller.ts';
import { unavailable } from '../platform/refusal.ts';
import type { Visibility } from '../visibility/visibility.ts';
import type { Call, Reply } from './call.ts';
import type { Cursors } from './cursor.ts';
import type { SystemTool } from './system/system-tool.ts';

const PAGE_ITEMS = 200;

export interface ListDependencies {
  visibility: Pick<Visibility, 'tools'>;
  systemTools: readonly SystemTool[];
  cursors: Cursors;
  pageItems?: number;
}

/** What both kinds of tools show in a list. */
interface ListedTool {
  name: string;
  title: string;
  description: string;
  input_schema: unknown;
  output_schema: unknown;
  annotations: unknown;
}

/**
 * The lists, one per family. What a credential sees is decided for every request, by the function
 * that decides its calls; only the text of each item is kept, so no list can be stale.
 */
export function createLists(dependencies: ListDependencies) {
  const { visibility, systemTools, cursors, pageItems = PAGE_ITEMS } = dependencies;
  const texts = new WeakMap<object, string>();
  const fixed = systemTools.map((tool, index) => ({ place: `0${index}`, tool }));

  function listTools(call: Call): Reply {
    const credential = credentialId(call.caller);
    const after = placeAfter(call, 'tools', credential);
    if (call.view === null) throw unavailable('what the caller reaches is not known');
    const governed = visibility
      .tools(call.view)
      .map((tool): { place: string; tool: ListedTool } => ({ place: `1${tool.name}`, tool }))
      .toSorted((a, b) => (a.place < b.place ? -1 : 1));
    const rest = [...fixed, ...governed].filter(({ place }) => place > after);
    const page = rest.slice(0, pageItems);
    const last = page.at(-1);
    const next =
      rest.length > page.length && last !== undefined
        ? `,"nextCursor":${JSON.stringify(cursors.seal('tools', credential, last.place))}`
        : '';
    return { text: `{"tools":[${page.map(({ tool }) => textOf(tool)).join(',')}]${next}}` };
  }

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

  function textOf(tool: ListedTool): string {
    let text = texts.get(tool);
    if (text === undefined) {
      text = JSON.stringify(shown(tool));
      texts.set(tool, text);
    }
    return text;
  }

  return {
    tools: listTools,
    prompts: listNone('prompts', 'prompts'),
    resources: listNone('resources', 'resources'),
    resourceTemplates: listNone('resources/templates', 'resourceTemplates'),
  };
}

/**
 * A tool as MCP lists it. Clients of the first SDK check even a failed call's structured content
 * against the output schema, so that schema also admits an error (mcp.md 9).
 */
function shown(tool: ListedTool): object {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.input_schema,
    ...(tool.output_schema == null ? {} : { outputSchema: orError(tool.output_schema) }),
    annotations: tool.annotations,
  };
}

function orError(schema: unknown): object {
  const { $defs, $schema, ...result } = schema as Readonly<Record<string, unknown>>;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    anyOf: [result, { required: ['error'] }],
    ...($defs === undefined ? {} : { $defs }),
  };
}
