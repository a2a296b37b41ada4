import type { Queryable } from '../../platform/postgres/database.ts';
import { iteratePages } from '../../platform/http/pages.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import type { Page } from '../../platform/http/pages.ts';
import { toRowsPage } from '../../platform/postgres/sorted-rows.ts';
import type { Principal } from '../../caller/principal.ts';
import type { Space } from '../spaces/space.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { createEdits } from './edits.ts';
import type { EditsDependencies, ItemEdits } from './edits.ts';
import { createContentCache } from './content-cache.ts';
import type { ItemKind } from './kind.ts';
import { recordsOf } from './records.ts';
import type { ItemRecord } from './records.ts';
import type { ItemUses, VersionRecord } from './schema.ts';
import type { FindUses } from './uses.ts';
import { findItem, findVersion, listItems, listVersions, listItemsWithContent } from './store.ts';
import type { SummaryRow } from './store.ts';

export type { Draft, ItemFamily, ItemKind } from './kind.ts';
export type { ItemRecord } from './records.ts';
export { etagOf } from './refusals.ts';
export type { UsedItem } from './uses.ts';
export { schemaOfAnySpace, wholeItem, withSpace } from './shown.ts';

/** An item for lists and decisions: its summary fields, without its content. */
export type StoredItem = SummaryRow;

/** One version of an item; `version` is formatted by `versionMark`. */
export interface ContentRef {
  space_id: string;
  id: string;
  version: string;
}

/**
 * Identifies a version in cache keys: its number and when it was written, since a database that is
 * restored while gateways run assigns the same number again.
 */
export const versionMark = ({ version, updated_at }: StoredItem): string =>
  `${version} ${updated_at}`;

export interface ItemsDependencies extends EditsDependencies {
  findUses: FindUses;
}

/** Items of one family in a space: current content, history and edits. */
export interface Items<Content extends object = object> extends ItemEdits<Content> {
  readonly kind: ItemKind<Content>;
  list(space_id: string, query: ListQuery): Promise<Page<ItemRecord>>;
  /** Formats an item as `list` does. */
  listed(stored: StoredItem): ItemRecord;
  get(space_id: string, id: string): Promise<ItemRecord>;
  versions(space_id: string, id: string): Promise<VersionRecord[]>;
  version(space_id: string, id: string, version: number): Promise<ItemRecord>;
  /** Returns what uses an item, as far as the caller may view it. */
  uses(caller: Principal, space: Space, id: string): Promise<ItemUses>;
  /** Returns the content of one version; null if the item is deleted. */
  contentAt(ref: ContentRef): Promise<Content | null>;
  /** Yields whole items, oldest first, keeping only a few in memory at a time. */
  exportOf(db: Queryable, space_id: string, max: number): AsyncIterable<ItemRecord>;
}

// A row can be one or two megabytes.
const EXPORTED_ROWS = 4;

export function createItems<Content extends object>(
  kind: ItemKind<Content>,
  dependencies: ItemsDependencies,
): Items<Content> {
  const { pool } = dependencies.database;
  const { family } = kind;
  const records = recordsOf(kind);
  const contents = createContentCache<Content>();

  async function getRow(space_id: string, id: string) {
    const row = await findItem(pool, { space_id, family, id });
    if (row === null) throw absent();
    return row;
  }

  return {
    kind,
    ...createEdits(kind, dependencies),
    listed: records.head,
    async list(space_id, query) {
      const rows = await listItems(pool, { space_id, family }, query);
      const { data, next_cursor } = toRowsPage(rows, query);
      return { data: data.map(records.head), next_cursor };
    },
    get: async (space_id, id) => records.complete(await getRow(space_id, id)),
    async versions(space_id, id) {
      await getRow(space_id, id);
      const rows = await listVersions(pool, { space_id, id });
      return rows.map(({ actor_kind, actor_id, ...row }) => ({
        ...row,
        actor: { kind: actor_kind, id: actor_id },
      }));
    },
    async version(space_id, id, version) {
      const row = await getRow(space_id, id);
      const earlier = await findVersion(pool, { space_id, id, version });
      if (earlier === null) throw absent();
      const head = kind.summaryOf(earlier.content as Content) as Record<string, unknown>;
      return records.complete({
        ...row,
        ...earlier,
        head,
        version,
        updated_at: earlier.created_at,
      });
    },
    async uses(caller, space, id) {
      const { name } = await getRow(space.id, id);
      return dependencies.findUses(caller, { space, family, id, name });
    },
    contentAt: ({ space_id, id, version }) =>
      contents(`${id} ${version}`, async () => {
        const row = await findVersion(pool, { space_id, id, version: Number.parseInt(version) });
        return row === null ? null : (row.content as Content);
      }),
    async *exportOf(connection, space_id, max) {
      const ref = { space_id, family };
      const read = (page: Parameters<typeof listItemsWithContent>[2]) =>
        listItemsWithContent(connection, ref, page);
      for await (const row of iteratePages(read, { rows: EXPORTED_ROWS, max }))
        yield records.complete(row);
    },
  };
}
