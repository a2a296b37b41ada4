import { z } from 'zod';
import type { Actor } from '../../caller/actor.ts';
import type { QuotaOwner } from '../../caller/principal.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { positioned, sortedPage } from '../../platform/postgres/sorted-rows.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import type { MovedItem } from './kind.ts';
import { families } from './schema.ts';
import type { Family } from './schema.ts';

const SummaryRow = z.object({
  id: z.string(),
  space_id: z.string(),
  family: z.enum(families),
  name: z.string(),
  version: z.number(),
  head: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  updated_at: z.string(),
  organization_wide: z.boolean().nullable(),
});
/** An item with the fields that lists show. */
export type SummaryRow = z.infer<typeof SummaryRow>;

const ItemRow = SummaryRow.extend({ content: z.record(z.string(), z.unknown()) });
/** An item with the content of its active version. */
export type ItemRow = z.infer<typeof ItemRow>;

export interface ItemRef {
  space_id: string;
  family: Family;
  id: string;
}

const itemColumns = sql.fragment`i.id, i.space_id, i.family, i.name, i.version, i.head, i.created_at, i.updated_at,
  i.organization_wide`;

/** Reads all items of these spaces, without content, to build their agents' lists. */
export function listSummaries(db: Queryable, spaceIds: readonly string[]) {
  return db.any(sql.type(SummaryRow)`
    SELECT ${itemColumns} FROM item i WHERE i.space_id = ANY(${sql.array([...spaceIds], 'uuid')})`);
}

const itemOrder = { id: sql.fragment`i.id`, name: sql.fragment`i.name` };

/** Returns a page of items for `toRowsPage`. */
export function listItems(
  db: Queryable,
  { space_id, family }: Omit<ItemRef, 'id'>,
  query: ListQuery,
) {
  const { position, conditions, order } = sortedPage(itemOrder, query);
  return db.any(sql.type(positioned(SummaryRow))`
    SELECT ${itemColumns}, ${position} FROM item i
    WHERE i.space_id = ${space_id} AND i.family = ${family} ${conditions} ${order}`);
}

/** Returns null if the space has no such item of this family. */
export function findItem(db: Queryable, ref: ItemRef): Promise<ItemRow | null> {
  return db.maybeOne(sql.type(ItemRow)`
    SELECT ${itemColumns}, v.content FROM item i
    JOIN item_version v ON v.item_id = i.id AND v.version = i.version
    WHERE i.id = ${ref.id} AND i.space_id = ${ref.space_id} AND i.family = ${ref.family}`);
}

/** Returns a family's items after `after`, with content, oldest first; for exports. */
export function listItemsWithContent(
  db: Queryable,
  { space_id, family }: Omit<ItemRef, 'id'>,
  { limit, after }: { limit: number; after: { id: string } | null },
): Promise<readonly ItemRow[]> {
  return db.any(sql.type(ItemRow)`
    SELECT ${itemColumns}, v.content FROM item i
    JOIN item_version v ON v.item_id = i.id AND v.version = i.version
    WHERE i.space_id = ${space_id} AND i.family = ${family}
      AND (${after?.id ?? null}::uuid IS NULL OR i.id > ${after?.id ?? null}::uuid)
    ORDER BY i.id LIMIT ${limit}`);
}

/** Returns the space's own items with these ids, and its resources with these paths. */
export function findNamedItems(
  db: Queryable,
  { space_id, ids, paths }: { space_id: string; ids: string[]; paths: string[] },
) {
  return db.any(sql.type(SummaryRow.pick({ id: true, family: true, name: true }))`
    SELECT id, family, name FROM item
    WHERE space_id = ${space_id} AND (id = ANY(${sql.array(ids, 'uuid')})
      OR (family = 'resource' AND name = ANY(${sql.array(paths, 'text')})))`);
}

/** Returns the given ids that belong to items of the space, with the items' families. */
export async function findOwnItems(
  db: Queryable,
  space_id: string,
  ids: string[],
): Promise<ReadonlyMap<string, Family>> {
  if (ids.length === 0) return new Map();
  const rows = await findNamedItems(db, { space_id, ids, paths: [] });
  return new Map(rows.map(({ id, family }) => [id, family]));
}

const NamingRow = SummaryRow.pick({ id: true, name: true }).extend({ total: z.number() });

/** Returns the space's agent definitions with a component of this condition, and how many there are. */
export function listAgentsNaming(
  db: Queryable,
  search: { space_id: string; condition: object; except: string; limit: number },
) {
  return db.any(sql.type(NamingRow)`
    SELECT id, name, count(*) OVER () AS total FROM item
    WHERE space_id = ${search.space_id} AND family = 'agent' AND id <> ${search.except}
      AND head->'components' @> ${json([{ when: search.condition }])}
    ORDER BY name LIMIT ${search.limit}`);
}

/** Counts the items of a family in all spaces that count against a quota owner's limits. */
export function countItems(
  db: Queryable,
  { quota_owner, family }: { quota_owner: QuotaOwner; family: Family },
): Promise<number> {
  return db.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM item
    WHERE quota_owner_id = ${quota_owner.id} AND family = ${family}`);
}

/** Returns the names of a space's items of a family. */
export function listNames(db: Queryable, { space_id, family }: Omit<ItemRef, 'id'>) {
  return db.anyFirst(sql.type(SummaryRow.pick({ name: true }))`
    SELECT name FROM item WHERE space_id = ${space_id} AND family = ${family}`);
}

const CountRow = z.object({ family: z.enum(families), count: z.number() });

export interface FamilyCounts {
  tools: number;
  prompts: number;
  resources: number;
  agents: number;
}

/** Counts the items of a space by family. */
export async function countFamilies(db: Queryable, space_id: string): Promise<FamilyCounts> {
  const rows = await db.any(sql.type(CountRow)`
    SELECT family, count(*) FROM item WHERE space_id = ${space_id} GROUP BY family`);
  const counts = new Map(rows.map(({ family, count }) => [family, count]));
  const countOf = (family: Family) => counts.get(family) ?? 0;
  return {
    tools: countOf('tool'),
    prompts: countOf('prompt'),
    resources: countOf('resource'),
    agents: countOf('agent'),
  };
}

/** Whether another item of the space and family has the name. */
export function isTaken(
  db: Queryable,
  { space_id, family, name, except }: Omit<ItemRef, 'id'> & { name: string; except: string | null },
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM item WHERE space_id = ${space_id} AND family = ${family}
      AND name = ${name} AND id IS DISTINCT FROM ${except}::uuid`);
}

export interface NewVersion {
  version: number;
  name: string;
  head: object;
  content: object;
  /** Null for items outside of an organization's catalog. */
  organization_wide: boolean | null;
  actor: Actor;
}

const MAX_VERSIONS = 100;
// Total size of the versions before the active one.
const MAX_BYTES = 10_485_760;

/** Saves a new item or a new version, which becomes the active one. False if the name is taken. */
export async function saveItem(
  transaction: Transaction,
  { id, space_id, family }: ItemRef,
  { version, name, head, content, organization_wide, actor }: NewVersion,
): Promise<boolean> {
  const isSaved = await falseIfTaken(
    transaction.query(sql.typeAlias('void')`
      WITH saved AS (
        INSERT INTO item (id, space_id, family, name, version, head, organization_wide)
        VALUES (${id}, ${space_id}, ${family}, ${name}, ${version}, ${json(head)},
          ${organization_wide})
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, version = excluded.version,
          head = excluded.head, organization_wide = excluded.organization_wide,
          updated_at = now() WHERE item.space_id = excluded.space_id
      )
      INSERT INTO item_version (item_id, version, space_id, name, content, actor_kind, actor_id)
      VALUES (${id}, ${version}, ${space_id}, ${name}, ${json(content)}, ${actor.kind},
        ${actor.id})`),
  );
  if (isSaved && version > 1)
    await transaction.query(sql.typeAlias('void')`
      DELETE FROM item_version old USING (
        SELECT version, sum(bytes) OVER (ORDER BY version DESC) AS bytes FROM item_version
        WHERE item_id = ${id} AND version < ${version}
      ) AS history
      WHERE old.item_id = ${id} AND old.version = history.version
        AND (history.bytes > ${MAX_BYTES} OR old.version <= ${version - MAX_VERSIONS})`);
  return isSaved;
}

/** Moves an item with its versions into an organization's catalog. False if the name is taken. */
export function moveToCatalog(
  transaction: Transaction,
  { id, from, to }: MovedItem,
): Promise<boolean> {
  return falseIfTaken(
    transaction.query(sql.typeAlias('void')`
      WITH moved AS (
        UPDATE item SET space_id = ${to}, organization_wide = false, updated_at = now()
        WHERE id = ${id} AND space_id = ${from}
      )
      UPDATE item_version SET space_id = ${to} WHERE item_id = ${id} AND space_id = ${from}`),
  );
}

export async function deleteItem(
  transaction: Transaction,
  ref: Pick<ItemRef, 'id' | 'space_id'>,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM item WHERE id = ${ref.id} AND space_id = ${ref.space_id}`);
}

// An item may have versions of ten megabytes in all, and one statement must end within two seconds.
const MAX_DELETED_ITEMS = 20;

/**
 * Deletes some items of a deleted organization or team, whose spaces are too large for one
 * statement; returns false if there are none left.
 */
export async function deleteSomeItems(
  db: Queryable,
  owner: { organization_id: string } | { team_id: string },
): Promise<boolean> {
  const isOwn =
    'team_id' in owner
      ? sql.fragment`space.id = ${owner.team_id} AND space.kind = 'team'`
      : sql.fragment`space.quota_owner_id = ${owner.organization_id} AND space.kind <> 'personal'`;
  const { rowCount } = await db.query(sql.typeAlias('void')`
    DELETE FROM item WHERE id IN (
      SELECT item.id FROM space JOIN item ON item.space_id = space.id
      WHERE ${isOwn} LIMIT ${MAX_DELETED_ITEMS})`);
  return rowCount > 0;
}

const VersionRow = z.object({
  version: z.number(),
  name: z.string(),
  created_at: z.string(),
  actor_kind: z.string(),
  actor_id: z.string().nullable(),
});

/** Returns the stored versions, newest first. */
export function listVersions(db: Queryable, ref: Pick<ItemRef, 'id' | 'space_id'>) {
  return db.any(sql.type(VersionRow)`
    SELECT version, name, created_at, actor_kind, actor_id FROM item_version
    WHERE item_id = ${ref.id} AND space_id = ${ref.space_id} ORDER BY version DESC`);
}

const ContentRow = z.object({
  name: z.string(),
  content: z.record(z.string(), z.unknown()),
  created_at: z.string(),
});

/** Returns null if there is no such version or it is no longer stored. */
export function findVersion(
  db: Queryable,
  { id, space_id, version }: Pick<ItemRef, 'id' | 'space_id'> & { version: number },
) {
  return db.maybeOne(sql.type(ContentRow)`
    SELECT name, content, created_at FROM item_version
    WHERE item_id = ${id} AND space_id = ${space_id} AND version = ${version}`);
}

const falseIfTaken = (statement: Promise<unknown>): Promise<boolean> =>
  withFallbackOnViolation(
    statement.then(() => true),
    ['item_name_unique'],
    false,
  );

const json = (value: object) => sql.jsonb(value);
