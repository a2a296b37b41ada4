import { createHash } from 'node:crypto';
import { inTurns } from '../../platform/concurrency/turns.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { ToolItem, View, Visibility } from '../../visibility/visibility.ts';
import { stillAuthorized } from '../protocol/authorization.ts';
import type { Call } from '../protocol/call.ts';
import type { Cursors } from '../protocol/cursor.ts';
import type { Decided, SystemTool } from '../system/system-tool.ts';
import { toolsDenied } from './denied.ts';
import { DEFAULT_RESULTS, searchToolsEntry } from './search-tools-entry.ts';
import { createSearchedDigest, createToolIndexes } from './tool-indexes.ts';

export interface SearchToolsDependencies {
  visibility: Pick<Visibility, 'list'>;
  cursors: Cursors;
}

interface Search {
  query: string;
  limit: number;
  /** What comes after this is returned; null for the first page. */
  after: Position | null;
}

/** A place in the results: names break ties, so that it stays valid after its tool is deleted. */
interface Position {
  score: number;
  name: string;
}

interface Result extends Position {
  tool: ToolItem;
}

/**
 * Creates `search_tools`, which finds tools of exactly the list that `tools/list` would have if the
 * credential listed all tools.
 */
export function createSearchTools({ visibility, cursors }: SearchToolsDependencies): SystemTool {
  const indexOf = createToolIndexes(createSearchedDigest());

  async function resultsOf(call: Call, tools: readonly ToolItem[], query: string) {
    if (query === '') return tools.map((tool): Result => ({ tool, score: 0, name: tool.name }));
    const { id: fairnessKey } = call.caller.quota_owner;
    const index = await indexOf(fairnessKey, tools);
    return (await inTurns(fairnessKey, index.search(query))).map(({ position, score }): Result => {
      const tool = tools[position]!;
      return { tool, score, name: tool.name };
    });
  }

  async function answer(call: Call, search: Search): Promise<object> {
    const { query, limit, after } = search;
    const results = await resultsOf(call, visibility.list(await call.view(), 'tool'), query);
    // Building an index may have taken long: the results must be those of a recent decision.
    const current = await stillAuthorized(call);
    if (current !== call) {
      requireSearching(current, await current.view());
      return answer(current, search);
    }
    const rest = after === null ? results : results.filter((one) => isAfter(one, after));
    const page = rest.slice(0, limit);
    const last = page.at(-1);
    return {
      tools: page.map(({ tool }) => foundTool(tool)),
      ...(last === undefined || rest.length === page.length
        ? {}
        : { next_cursor: cursors.seal(...sealed(call, query), JSON.stringify(positionOf(last))) }),
    };
  }

  return {
    ...searchToolsEntry,
    async prepare(call, input, decided) {
      requireSearching(call, await call.view(), decided);
      const { query = '', limit = DEFAULT_RESULTS, cursor } = input as SearchArguments;
      const text = query.trim();
      const after =
        cursor === undefined
          ? null
          : (JSON.parse(cursors.open(...sealed(call, text), cursor)) as Position);
      return () => answer(call, { query: text, limit, after });
    },
  };
}

interface SearchArguments {
  query?: string;
  limit?: number;
  cursor?: string;
}

/** Throws unless the caller searches for its tools, as for a tool that does not exist. */
function requireSearching({ caller }: Call, { capabilities }: View, decided?: Decided): void {
  const action = { family: 'tool', item: null } as const;
  if (!capabilities.has('tools')) {
    decided?.(action, { layer: 'capability', reason: 'capability_missing' });
    throw toolsDenied();
  }
  if (caller.tool_listing !== 'search') {
    decided?.(action, { layer: 'absent', reason: 'not_found' });
    throw absent('the credential lists all its tools');
  }
}

/** A cursor is valid for one query of one credential. */
const sealed = ({ caller }: Call, query: string) =>
  [`search_tools ${hash(query)}`, caller.credential.id] as const;
const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

const positionOf = ({ score, name }: Position): Position => ({ score, name });

const isAfter = (one: Position, other: Position): boolean =>
  one.score < other.score || (one.score === other.score && one.name > other.name);

const foundTool = ({ name, title, description, input_schema, annotations }: ToolItem) => ({
  ...{ name, title, description, input_schema, annotations },
});
