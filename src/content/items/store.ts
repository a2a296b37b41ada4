import { z } from 'zod';
import type { Actor } from '../../caller/actor.ts';
import type { QuotaOwner } from '../../caller/principal.ts';
import { sql, violatedConstraint } from '../../platform/postgres/database.ts';
import type { Connection, Transaction } from '../../platform/postgres/database.ts';
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

const facts = sql.fragment`i.id, i.space_id, i.family, i.name, i.version, i.head, i.created_at, i.updated_at`;

/** Reads all items of a space, without content, to build its agents' lists. */
export function listSummaries(connection: Connection, space_id: string) {
  return connection.any(sql.type(SummaryRow)`
    SELECT ${facts} FROM item i WHERE i.space_id = ${space_id}`);
}

/** Returns items older than `cursor`, newest first. */
export function listItems(
  connection: Connection,
  { space_id, family }: Omit<ItemRef, 'id'>,
  page: { limit: number; cursor: string | null },
): Promise<readonly SummaryRow[]> {
  return connection.any(sql.type(SummaryRow)`
    SELECT ${facts} FROM item i
    WHERE i.space_id = ${space_id} AND i.family = ${family}
      AND (${page.cursor}::uuid IS NULL OR i.id < ${page.cursor}::uuid)
    ORDER BY i.id DESC LIMIT ${page.limit}`);
}

/** Returns null if the space has no such item of this family. */
export function findItem(connection: Connection, ref: ItemRef): Promise<ItemRow | null> {
  return connection.maybeOne(sql.type(ItemRow)`
    SELECT ${facts}, v.content FROM item i
    JOIN item_version v ON v.item_id = i.id AND v.version = i.version
    WHERE i.id = ${ref.id} AND i.space_id = ${ref.space_id} AND i.family = ${ref.family}`);
}

/** Returns a family's items after `after`, with content, oldest first; for exports. */
export function listItemsWithContent(
  connection: Connection,
  { space_id, family }: Omit<ItemRef, 'id'>,
  { limit, after }: { limit: number; after: { id: string } | null },
): Promise<readonly ItemRow[]> {
  return connection.any(sql.type(ItemRow)`
    SELECT ${facts}, v.content FROM item i
    JOIN item_version v ON v.item_id = i.id AND v.version = i.version
    WHERE i.space_id = ${space_id} AND i.family = ${family}
      AND (${after?.id ?? null}::uuid IS NULL OR i.id > ${after?.id ?? null}::uuid)
    ORDER BY i.id LIMIT ${limit}`);
}

/** Returns the space's own items with these ids, and its resources with these paths. */
export function findNamed(
  connection: Connection,
  { space_id, ids, paths }: { space_id: string; ids: string[]; paths: string[] },
) {
  return connection.any(sql.type(SummaryRow.pick({ id: true, family: true, name: true }))`
    SELECT id, family, name FROM item
    WHERE space_id = ${space_id} AND (id = ANY(${sql.array(ids, 'uuid')})
      OR (family = 'resource' AND name = ANY(${sql.array(paths, 'text')})))`);
}

/** Returns those of the ids that are items of the space, with their families. */
export async function findOwnItems(
  connection: Connection,
  space_id: string,
  ids: string[],
): Promise<ReadonlyMap<string, Family>> {
  if (ids.length === 0) return new Map();
  const rows = await findNamed(connection, { space_id, ids, paths: [] });
  return new Map(rows.map(({ id, family }) => [id, family]));
}

/** Counts the items of a family in all spaces a quota owner is charged for. */
export function countItems(
  connection: Connection,
  { quota_owner, family }: { quota_owner: QuotaOwner; family: Family },
): Promise<number> {
  return connection.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM item JOIN space ON space.id = item.space_id
    WHERE space.quota_owner_id = ${quota_owner.id} AND family = ${family}`);
}

const CountRow = z.object({ family: z.enum(families), count: z.number() });

export interface FamilyCounts {
  tools: number;
  prompts: number;
  resources: number;
  agents: number;
}

/** Counts the items of a space by family. */
export async function countFamilies(
  connection: Connection,
  space_id: string,
): Promise<FamilyCounts> {
  const rows = await connection.any(sql.type(CountRow)`
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
  connection: Connection,
  { space_id, family, name, except }: Omit<ItemRef, 'id'> & { name: string; except: string | null },
): Promise<boolean> {
  return connection.exists(sql.typeAlias('void')`
    SELECT FROM item WHERE space_id = ${space_id} AND family = ${family}
      AND name = ${name} AND id IS DISTINCT FROM ${except}::uuid`);
}

export interface Written {
  version: number;
  name: string;
  head: object;
  content: object;
  actor: Actor;
}

const MAX_VERSIONS = 100;
// Total size of the versions before the active one.
const MAX_BYTES = 10_485_760;

/** Saves a new item or a new version, which becomes the active one; false: the name is taken. */
export async function saveItem(
  transaction: Transaction,
  { id, space_id, family }: ItemRef,
  { version, name, head, content, actor }: Written,
): Promise<boolean> {
  const isSaved = await falseIfTaken(
    transaction.query(sql.typeAlias('void')`
      WITH saved AS (
        INSERT INTO item (id, space_id, family, name, version, head)
        VALUES (${id}, ${space_id}, ${family}, ${name}, ${version}, ${json(head)})
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, version = excluded.version,
          head = excluded.head, updated_at = now() WHERE item.space_id = excluded.space_id
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

export async function deleteItem(
  transaction: Transaction,
  ref: Pick<ItemRef, 'id' | 'space_id'>,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM item WHERE id = ${ref.id} AND space_id = ${ref.space_id}`);
}

const VersionRow = z.object({
  version: z.number(),
  name: z.string(),
  created_at: z.string(),
  actor_kind: z.string(),
  actor_id: z.string().nullable(),
});

/** Returns the stored versions, newest first. */
export function listVersions(connection: Connection, ref: Pick<ItemRef, 'id' | 'space_id'>) {
  return connection.any(sql.type(VersionRow)`
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
  connection: Connection,
  { id, space_id, version }: Pick<ItemRef, 'id' | 'space_id'> & { version: number },
) {
  return connection.maybeOne(sql.type(ContentRow)`
    SELECT name, content, created_at FROM item_version
    WHERE item_id = ${id} AND space_id = ${space_id} AND version = ${version}`);
}

async function falseIfTaken(statement: Promise<unknown>): Promise<boolean> {
  try {
    await statement;
    return true;
  } catch (error) {
    if (violatedConstraint(error) === 'item_name_unique') return false;
    throw error;
  }
}

const json = (value: object) => sql.jsonb(value);
