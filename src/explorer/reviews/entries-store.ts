import { z } from 'zod';
import { capabilities } from '../../authz/permissions.ts';
import type { Actor } from '../../caller/actor.ts';
import { knownAddress } from '../../caller/membership.ts';
import { newId } from '../../platform/ids.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { ReviewedItem } from './classes.ts';
import { decisions, flags } from './schema.ts';
import type { EntryFilter, EntryParams, ReviewDecision, ReviewParams } from './schema.ts';
import type { Snapped } from './snapshot.ts';
import { author } from './store.ts';

const Named = z.object({ id: z.string(), name: z.string() });
const Held = z.object({
  permissions: z.array(z.string()),
  team_permissions: z.array(z.object({ team: Named, permissions: z.array(z.string()) })),
  capabilities: z.array(z.enum(capabilities)),
});

/** What entries have in common is stored once. */
interface Part {
  number: number;
  content: string;
}

/** A part of a review to store, and the numbers of the parts of each entry. */
export interface Parts {
  parts: readonly Part[];
  of: readonly { held: number; items: number }[];
}

/** Numbers the different contents of entries. */
export function partsOf(entries: readonly Snapped[]): Parts {
  const numbers = new Map<string, number>();
  // Entries of a class share the same list, which is long.
  const known = new WeakMap<object, number>();
  const numberOf = (content: object): number => {
    const before = known.get(content);
    if (before !== undefined) return before;
    const text = JSON.stringify(content);
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    known.set(content, number);
    return number;
  };
  const of = entries.map(({ held, items }) => ({ held: numberOf(held), items: numberOf(items) }));
  return { of, parts: [...numbers].map(([content, number]) => ({ content, number })) };
}

interface Target {
  review_id: string;
  organization_id: string;
}

export async function insertParts(
  db: Queryable,
  { review_id, organization_id }: Target,
  parts: readonly Part[],
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO access_review_part (review_id, organization_id, number, content)
    SELECT ${review_id}, ${organization_id}, number, content
    FROM ${sql.unnest(
      parts.map(({ number, content }) => [number, content]),
      ['int4', 'jsonb'],
    )} AS sent (number, content)`);
}

/** An entry to store, with its place in the review and the numbers of its parts. */
export type PlacedEntry = Snapped & { position: number; held_part: number; items_part: number };

export async function insertEntries(
  db: Queryable,
  { review_id, organization_id }: Target,
  entries: readonly PlacedEntry[],
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO access_review_entry (id, review_id, organization_id, position, kind, subject_id,
      account_id, teams, follows, last_used_at, held_part, items_part, reach, flags)
    SELECT id, ${review_id}, ${organization_id}, position, kind, subject_id, account_id, teams,
      follows, last_used_at, held_part, items_part, reach,
      ARRAY(SELECT jsonb_array_elements_text(flags))
    FROM ${sql.unnest(
      entries.map(({ row, position, held_part, items_part, ...entry }) => [
        ...[newId(), position, row.kind, row.id, row.account_id, JSON.stringify(entry.teams)],
        ...[row.follows, row.last_used_at, held_part, items_part],
        ...[JSON.stringify(entry.reach), JSON.stringify(entry.flags)],
      ]),
      [
        ...['uuid', 'int4', 'text', 'uuid', 'uuid', 'jsonb', 'bool', 'timestamptz', 'int4', 'int4'],
        ...['jsonb', 'jsonb'],
      ],
    )} AS sent (id, position, kind, subject_id, account_id, teams, follows, last_used_at, held_part,
      items_part, reach, flags)`);
}

const Author = z.object({
  kind: z.string(),
  id: z.string().nullable(),
  email: z.string().nullable(),
});
const EntryRow = z.object({
  id: z.string(),
  position: z.number(),
  kind: z.enum(['member', 'key', 'organization_key', 'connection', 'client']),
  subject_id: z.string(),
  name: z.string().nullable(),
  account_id: z.string().nullable(),
  email: z.string().nullable(),
  teams: z.array(Named),
  follows: z.boolean(),
  last_used_at: z.string().nullable(),
  held: Held,
  reach: z.object({
    tools: z.number(),
    prompts: z.number(),
    resources: z.number(),
    agents: z.number(),
  }),
  flags: z.array(z.enum(flags)),
  decision: z.enum(decisions).nullable(),
  comment: z.string().nullable(),
  decided_by: Author.nullable(),
});
export type EntryRow = z.infer<typeof EntryRow>;

const nameNow = sql.fragment`CASE e.kind WHEN 'member' THEN person.email
  WHEN 'key' THEN k.name WHEN 'organization_key' THEN k.name ELSE l.name END AS name`;

/** Joins what subjects of entries are called now: people and credentials that still exist. */
const namesNow = sql.fragment`
  LEFT JOIN LATERAL (SELECT ${knownAddress} AS email FROM account a
    LEFT JOIN membership m ON m.account_id = a.id AND m.organization_id = e.organization_id
    WHERE a.id = e.account_id) AS person ON true
  LEFT JOIN api_key k ON e.kind IN ('key', 'organization_key') AND k.id = e.subject_id
  LEFT JOIN oauth_connection c ON e.kind IN ('connection', 'client') AND c.id = e.subject_id
  LEFT JOIN oauth_client l ON l.id = c.client_id`;

/** Selects entries, with names as they are now. */
const entries = sql.fragment`
  SELECT e.id, e.position, e.kind, e.subject_id, e.account_id, e.teams, e.follows, e.last_used_at,
    held.content AS held, e.reach, to_json(e.flags) AS flags, e.decision, e.comment,
    ${nameNow}, person.email,
    CASE WHEN e.decided_by_kind IS NOT NULL THEN ${author('e.decided_by_kind', 'e.decided_by_id')}
      END AS decided_by
  FROM access_review_entry e
  JOIN access_review r ON r.id = e.review_id AND r.status <> 'running'
  JOIN access_review_part held ON held.review_id = e.review_id AND held.number = e.held_part
  ${namesNow}`;

/** Returns entries in their order, after a position. */
export function listEntries(
  db: Queryable,
  { organization_id, review_id }: ReviewParams,
  { flag, decision }: EntryFilter,
  { limit, after }: { limit: number; after: number | null },
): Promise<readonly EntryRow[]> {
  const hasFlag = flag === undefined ? sql.fragment`true` : sql.fragment`${flag} = ANY (e.flags)`;
  const isDecided =
    decision === undefined
      ? sql.fragment`true`
      : decision === 'none'
        ? sql.fragment`e.decision IS NULL`
        : sql.fragment`e.decision = ${decision}`;
  return db.any(sql.type(EntryRow)`
    ${entries}
    WHERE e.review_id = ${review_id} AND e.organization_id = ${organization_id}
      AND e.position > ${after ?? -1} AND ${hasFlag} AND ${isDecided}
    ORDER BY e.position LIMIT ${limit}`);
}

export const findEntry = (
  db: Queryable,
  { organization_id, review_id, entry_id }: EntryParams,
): Promise<EntryRow | null> =>
  db.maybeOne(sql.type(EntryRow)`
    ${entries}
    WHERE e.id = ${entry_id} AND e.review_id = ${review_id}
      AND e.organization_id = ${organization_id}`);

/** Saves a decision; a comment that is undefined stays. */
export async function saveDecision(
  transaction: Transaction,
  { review_id, entry_id }: EntryParams,
  {
    decision,
    comment,
    by,
  }: {
    decision: ReviewDecision | null;
    comment: string | null | undefined;
    by: Pick<Actor, 'kind' | 'id'>;
  },
): Promise<void> {
  const saved = comment === undefined ? sql.fragment`comment` : sql.fragment`${comment}`;
  await transaction.query(sql.typeAlias('void')`
    UPDATE access_review_entry
    SET decision = ${decision}, comment = ${saved}, decided_by_kind = ${by.kind},
      decided_by_id = ${by.id}::uuid
    WHERE id = ${entry_id} AND review_id = ${review_id}`);
}

const ComparedRow = z.object({
  kind: EntryRow.shape.kind,
  subject_id: z.string(),
  name: z.string().nullable(),
  account_id: z.string().nullable(),
  held_part: z.number(),
  items_part: z.number(),
});
export type ComparedRow = z.infer<typeof ComparedRow>;

/** Returns the entries of a review with the numbers of their parts. */
export const listCompared = (db: Queryable, { organization_id, review_id }: ReviewParams) =>
  db.any(sql.type(ComparedRow)`
    SELECT e.kind, e.subject_id, ${nameNow}, e.account_id, e.held_part, e.items_part
    FROM access_review_entry e ${namesNow}
    WHERE e.review_id = ${review_id} AND e.organization_id = ${organization_id}
    ORDER BY e.position`);

const family = z.enum(['tools', 'prompts', 'resources', 'agents']);
const Item = z.tuple([family, z.string(), z.string(), z.string().nullable()]);
const PartRow = z.object({ number: z.number(), content: z.union([Held, z.array(Item)]) });
export type HeldPart = z.infer<typeof Held>;
export type ItemsPart = readonly ReviewedItem[];

const PARTS_AT_ONCE = 500;

/** Returns the parts of a review by their numbers. */
export async function readParts(
  db: Queryable,
  { organization_id, review_id }: ReviewParams,
): Promise<ReadonlyMap<number, HeldPart | ItemsPart>> {
  const parts = new Map<number, HeldPart | ItemsPart>();
  let rows: readonly z.infer<typeof PartRow>[];
  do {
    const after = parts.size - 1;
    rows = await db.any(sql.type(PartRow)`
      SELECT number, content FROM access_review_part
      WHERE review_id = ${review_id} AND organization_id = ${organization_id} AND number > ${after}
      ORDER BY number LIMIT ${PARTS_AT_ONCE}`);
    for (const { number, content } of rows) parts.set(number, content);
  } while (rows.length === PARTS_AT_ONCE);
  return parts;
}

const ENTRIES_AT_ONCE = 5_000;

/** Deletes the entries of a review in steps, so that no statement hits the statement timeout. */
export async function deleteEntries(db: Queryable, review_id: string): Promise<void> {
  let deleted: number;
  do {
    const { rowCount } = await db.query(sql.typeAlias('void')`
      DELETE FROM access_review_entry WHERE id = ANY (ARRAY(
        SELECT id FROM access_review_entry WHERE review_id = ${review_id} LIMIT ${ENTRIES_AT_ONCE}))`);
    deleted = rowCount;
  } while (deleted === ENTRIES_AT_ONCE);
}
