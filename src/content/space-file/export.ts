import type { Queryable } from '../../platform/postgres/database.ts';
import { readConditionNames } from '../agents/conditions.ts';
import type { AgentContent } from '../agents/schema.ts';
import type { PromptContent } from '../prompts/schema.ts';
import type { ResourceContent } from '../resources/schema.ts';
import type { ToolContent } from '../tools/schema.ts';
import type { SpaceFileDependencies } from './dependencies.ts';
import { createRoom } from './room.ts';
import { spaceLists } from './schema.ts';
import type { SpaceList } from './schema.ts';
import { beginSnapshot, listContents, listUpstreamsByName, readUpstreamNames } from './store.ts';
import type { ContentRow, Range } from './store.ts';

/** An entry of a list, with the name it is sorted by. */
interface Entry {
  name: string;
  entry: object;
}
type ReadEntries = (db: Queryable, range: Range) => Promise<Entry[]>;

type Lists = Record<SpaceList, object[]>;
interface ExportedFile extends Lists {
  format: string;
  version: number;
  /** Only in the first file of an export. */
  mcp_settings: object | undefined;
  next_cursor: string | null;
}

/**
 * Exports a space as one or more files, each within the import's limits. The entries of a file are
 * read from one snapshot, in a fixed order.
 */
export function createSpaceExport(dependencies: SpaceFileDependencies) {
  const { database, selection } = dependencies;
  const read = createReaders(dependencies);

  return async function exportSpace(
    space_id: string,
    cursor: string | null,
  ): Promise<ExportedFile> {
    return database.transaction(async (transaction) => {
      await beginSnapshot(transaction);
      const room = createRoom();
      const file = emptyFile();
      if (cursor === null) {
        file.mcp_settings = await selection.names(transaction, space_id);
        room.take(file.mcp_settings);
      }
      for (const { list, after } of listsFrom(cursor)) {
        const target = { space_id, after, room, isFirst: isEmpty(file) };
        const continueAfter = await fillList(file[list], target, (range) =>
          read[list](transaction, range),
        );
        if (continueAfter === null) continue;
        file.next_cursor = `${list}/${continueAfter}`;
        break;
      }
      return file;
    });
  };
}

interface FillTarget {
  space_id: string;
  after: string;
  room: ReturnType<typeof createRoom>;
  isFirst: boolean;
}

/**
 * Fills a list; returns null when it is complete, else the name after which the next file
 * continues. A list is split only if it does not fit into one file, so that agents that refer to
 * each other stay together.
 */
async function fillList(
  entries: object[],
  { space_id, after, room, isFirst }: FillTarget,
  readRange: (range: Range) => Promise<Entry[]>,
): Promise<string | null> {
  let last = after;
  for (;;) {
    const found = await readRange({ space_id, after: last, room: Math.max(0, room.bytes()) });
    if (found.length === 0) return null;
    for (const { name, entry } of found) {
      // An entry larger than a file gets a file of its own.
      if (!room.take(entry) && !(isFirst && entries.length === 0)) {
        if (isFirst) return last;
        entries.length = 0;
        return '';
      }
      entries.push(entry);
      last = name;
    }
  }
}

const emptyFile = (): ExportedFile => ({
  format: 'toolgate-space',
  version: 1,
  mcp_settings: undefined,
  upstreams: [],
  resources: [],
  prompts: [],
  custom_tools: [],
  agents: [],
  next_cursor: null,
});

const isEmpty = (file: ExportedFile) => spaceLists.every((list) => file[list].length === 0);

function listsFrom(cursor: string | null): { list: SpaceList; after: string }[] {
  if (cursor === null) return spaceLists.map((list) => ({ list, after: '' }));
  const slash = cursor.indexOf('/');
  const first = spaceLists.findIndex((list) => list === cursor.slice(0, slash));
  return spaceLists
    .slice(first)
    .map((list, index) => ({ list, after: index === 0 ? cursor.slice(slash + 1) : '' }));
}

function createReaders({ pins, catalog }: SpaceFileDependencies): Record<SpaceList, ReadEntries> {
  /** Returns what the entries of a list need if any of them comes from an upstream. */
  async function readSources(
    db: Queryable,
    rows: readonly ContentRow[],
    { space_id }: Range,
  ): Promise<Sources> {
    if (rows.every(({ content }) => content['upstream'] === undefined)) return NO_SOURCES;
    const upstreams = await readUpstreamNames(db, space_id);
    return { upstreams, quarantined: await pins.quarantinedItems(db, space_id) };
  }

  return {
    async upstreams(connection, range) {
      const rows = await listUpstreamsByName(connection, range);
      return rows.map(({ id: _id, oauth, ...upstream }) => {
        const entry = oauth === null ? upstream : { ...upstream, oauth };
        return { name: upstream.name, entry };
      });
    },
    async resources(connection, range) {
      const rows = await listContents(connection, 'resource', range);
      const sources = await readSources(connection, rows, range);
      return rows.map((row) => contentEntry(row, { path: row.name }, sources));
    },
    async prompts(connection, range) {
      const rows = await listContents(connection, 'prompt', range);
      const sources = await readSources(connection, rows, range);
      return rows.map((row) => contentEntry(row, { name: row.name }, sources));
    },
    async custom_tools(connection, range) {
      const rows = await listContents(connection, 'tool', range);
      const upstreams = await readUpstreamNames(connection, range.space_id);
      const quarantined = await pins.quarantinedItems(connection, range.space_id);
      return rows.map((row) => toolEntry(row, { upstreams, quarantined }));
    },
    async agents(connection, range) {
      const rows = await listContents(connection, 'agent', range);
      const agents = rows.map(({ name, content }) => ({ name, ...(content as AgentContent) }));
      const conditions = agents.flatMap(({ components }) =>
        components.flatMap(({ when }) => when ?? []),
      );
      const { space_id } = range;
      const nameOf = await readConditionNames(connection, { space_id, conditions }, { catalog });
      return agents.map(({ components, ...agent }) => ({
        name: agent.name,
        entry: {
          ...agent,
          components: components.map(({ when, ...component }) => ({
            ...component,
            when: when === null ? null : (nameOf(when) ?? { gone: when }),
          })),
        },
      }));
    },
  };
}

/** The names of upstreams, and what is quarantined, by id. */
interface Sources {
  upstreams: ReadonlyMap<string, string>;
  quarantined: ReadonlyMap<string, unknown>;
}

const NO_SOURCES: Sources = { upstreams: new Map(), quarantined: new Map() };

function toolEntry(
  { id, name, content: stored }: ContentRow,
  { upstreams, quarantined }: Sources,
): Entry {
  const content = stored as unknown as ToolContent;
  if (content.kind === 'http') return { name, entry: { name, ...content } };
  const { upstream_id, ...reference } = content.mcp;
  const mcp = { upstream: upstreams.get(upstream_id)!, ...reference };
  return { name, entry: { name, ...content, mcp, held: quarantined.has(id) } };
}

/** Returns the entry of a prompt or resource, which has no content here if it is an upstream's. */
function contentEntry(
  { id, name, content: stored }: ContentRow,
  named: object,
  { upstreams, quarantined }: Sources,
): Entry {
  const content = stored as unknown as PromptContent | ResourceContent;
  if (content.upstream === undefined) return { name, entry: { ...named, ...content } };
  const { upstream: source, ...description } = content;
  const { messages: _none, ...fields } = { messages: null, ...description };
  const { upstream_id, ...reference } = source;
  const upstream = { upstream: upstreams.get(upstream_id)!, ...reference };
  return { name, entry: { ...named, ...fields, upstream, held: quarantined.has(id) } };
}
